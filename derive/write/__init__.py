"""Everything that prints: display, LaTeX, Markdown, Python, JSON, locks."""
