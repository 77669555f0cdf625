"""Whether the geometry that weights ask for can be realised, decided before any training."""
