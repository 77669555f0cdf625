"""Formulas laid out for reading, and proved equal to what they are laid out from."""
