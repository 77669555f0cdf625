"""Statements as data, and derivations that decide each before it is shown."""
