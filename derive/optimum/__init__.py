"""Where a declared loss is least: reduction by symmetry, vertices, edges, faces, thresholds."""
