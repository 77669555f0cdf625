"""Figures that set theory beside optimised embeddings, as the papers do: a file for each."""
