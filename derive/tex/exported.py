r"""What ``cltheory export --latex`` defines in a way that only TeX can follow, and what it prints.

Around an argument stand parentheses, which are left out where it is one symbol: that says the
same. The definition is recognised by its text; any other of the name is like any other.
"""

from __future__ import annotations

ARGUMENT = r"\clArg"
#: The body of its definition in an exported file.
IN_TEX = r"\clArgOne#1{}\clArgEnd{#1}"
#: The body that a formula is read with.
READ = r"{\left(#1\right)}"
