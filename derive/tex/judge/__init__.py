"""Whether a statement that was read is what was derived."""
