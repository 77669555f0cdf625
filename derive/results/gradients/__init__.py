"""The gradient of InfoNCE at one anchor: identities, bounds by alignment and spectrum, batches."""
