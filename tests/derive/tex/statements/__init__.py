"""Statements as authors write them, true and false, made from every derived quantity.

``printed`` has the formulas as they stand on paper, with values of their own; ``targets`` the
quantities; ``true``, ``false`` and ``documents`` the makers of statements; ``verbatim`` those
that were found by hand; ``run`` gives them to the checker and counts.
"""
