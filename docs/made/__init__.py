"""Pages and files of the site that are made when it is built (docs/hooks.py)."""
