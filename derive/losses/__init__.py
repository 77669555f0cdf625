"""Declared losses: those of the literature under the conventions of libraries, and a user's own."""
