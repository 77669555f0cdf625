"""InfoNCE as the cross-entropy of two graphs: subgraphs of out-degree one, spectral clustering."""
