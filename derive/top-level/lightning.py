"""A callback for Lightning, which it needs: ``CollapseCallback``."""

from cltheory.numeric.metrics.lightning import CollapseCallback

__all__ = ["CollapseCallback"]
