"""Results about classes of unequal size."""
