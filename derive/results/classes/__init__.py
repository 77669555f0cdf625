"""Results about instances of classes of one size."""
