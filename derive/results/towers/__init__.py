"""Results about pairs and tuples of encoders."""
