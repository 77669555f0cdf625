"""Is it zero, positive, equal, convex? Knows no contrastive learning."""
