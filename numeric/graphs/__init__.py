"""Similarity graphs in numbers: subgraphs drawn from them, Laplacians, and clusters found."""
