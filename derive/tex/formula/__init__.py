"""One display, read into formulas and the conditions that stand beside them."""
