"""Ledgers as data: a record says what is printed, and the verdict on it is computed."""
