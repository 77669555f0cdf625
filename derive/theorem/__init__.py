"""Quantities, results, and the numbers that they hand out."""
