"""Derivations as proofs in LaTeX: a theorem, the lemmas it uses, and each step as a sentence."""
