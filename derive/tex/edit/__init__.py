"""The smallest change of a source that makes its statement true."""
