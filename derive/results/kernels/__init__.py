"""Exponential kernels: where they come from, and which optimum a loss with one has."""
