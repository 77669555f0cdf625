"""What a text says: its displays, directives, files, and what its macros mean at each place."""
