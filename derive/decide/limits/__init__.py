"""Limits by Gruntz's algorithm, with every sign proved on the domain."""
