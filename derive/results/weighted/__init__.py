"""Results about InfoNCE with weights: which geometry they ask for, and what it converges to."""
