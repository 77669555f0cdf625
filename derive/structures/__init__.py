"""Structures: relations of pairs, their eigenspaces, and explicit vectors at concrete sizes."""
