"""Exact labelled vectors."""
