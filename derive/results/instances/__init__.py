"""Results about views of instances, without classes."""
