"""Results for Rocq, whose kernel has the last word: statements in one file, proofs in another."""
