"""Problems (loss, structure, domain): those of the literature by name, and those of files."""
