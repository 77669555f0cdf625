r"""What ``cltheory export --latex`` defines in a way that only TeX can follow, and what it prints.

Around an argument stand parentheses, which are left out where it is one symbol: that says the
same. The definition is recognised by its text; any other of the name is like any other.
"""

from __future__ import annotations

ARGUMENT = r"\clArg"
#: The body of its definition in an exported file.
IN_TEX = r"\clArgOne#1{}\clArgEnd{#1}"
#: One that begins a product: a number stands there as it is.
FIRST = r"\clArgFirst"
FIRST_IN_TEX = r"\if!\ifnum9<1\detokenize{#1}!\else_\fi#1\else\clArg{#1}\fi"
#: Names and bodies that are recognised.
KNOWN = {(ARGUMENT, IN_TEX), (FIRST, FIRST_IN_TEX)}
#: The body that a formula is read with.
READ = r"{\left(#1\right)}"
