"""Mutants of the replay of certificates: a check that is left out, a sign, a factor."""
# ruff: noqa: E501 (lines of the engine are quoted as they are)

from __future__ import annotations

from mutant import Mutant

C = "certificate.py"
TESTS = tuple(
    f"numeric/test_certify.py::{test}"
    for test in (
        "test_value_and_gradient_are_those_of_what_is_declared",
        "test_functions_have_their_derivatives",
        "test_sizes_are_sizes",
        "test_the_gap_is_the_one_by_hand",
        "test_a_loss_that_need_not_be_convex_is_refused",
        "test_convexity_is_proved_or_refused",
        "test_a_kink_is_convex_only_where_it_is_all_of_a_function",
        "test_a_kink_has_the_slope_of_its_side",
        "test_on_a_kink_a_slope_between_its_sides_is_taken",
        "test_another_side_of_a_kink_is_refused",
        "test_what_a_side_is_beneath_the_loss_counts",
        "test_a_gap_is_that_of_the_loss_and_not_of_what_is_beneath_it",
        "test_the_matrix_of_the_embeddings_is_the_one_that_is_scaled",
        "test_self_is_the_relation_of_a_point_with_itself_alone",
        "test_inner_products_that_no_vectors_have_are_refused",
        "test_a_point_is_moved_by_little",
        "test_what_is_wrong_is_refused",
        "test_what_is_wrong_is_named",
        "test_a_matrix_that_is_not_positive_is_refused",
    )
)

#: What is replaced, by what, and why that is wrong.
CHANGES = [
    # --- what is read
    ('listed("y", file["y"], size)', 'listed("y", file["y"])', "y may be longer"),
    ('listed("embeddings", point["embeddings"], len(pair))', 'point["embeddings"]', "there may be more vectors than points"),
    ("if not known.issuperset(used):", "if False:", "relations may be unknown"),
    ('if not isinstance(term["own_positive"], bool):', "if False:", "a flag may be any text"),
    ('*listed("a denominator", term["denominator"])', '*term["positives"]', "a denominator may be a text that has relations in it"),
    ("type(k) is int and k > 0", "type(k) is int", "an axis may have no points"),
    ("type(k) is int and k > 0", "k > 0", "a size may be a flag"),
    ("if not 0 <= shift <= LITTLE:", "if False:", "a point may be moved far"),
    ("if not 0 <= shift <= LITTLE:", "if not shift <= LITTLE:", "a point is moved away"),
    ('if any(row[i] != "self" or row.count("self") > 1 for i, row in enumerate(pair)):', "if False:", "self may be any relation"),
    ('row[i] != "self" or row.count("self") > 1', 'row[i] != "self"', "others may be self as well"),
    ("base, power = walk(a), Jet(1)", "base, power = walk(a), walk(a)", "a power too many"),
    # --- what is proved
    ('has_cholesky([[moved[r] for r in row] for row in pair], "the matrix of inner products")', "pass", "inner products need no vectors"),
    ('has_cholesky(shifted(s, shift), "S + shift")', "pass", "S need not be positive"),
    ("if not pivots[i] > 0:", "if pivots[i] < 0:", "a pivot may be undecided"),
    ("scaled.append(row[j] - dot(scaled, rows[j][:j]))", "scaled.append(row[j])", "pivots are not eliminated"),
    ("pivots.append(row[i] - dot(scaled, rows[i]))", "pivots.append(row[i])", "only the diagonal counts"),
    ("if not abs(s[i][j] - wanted) <= radius:", "if False:", "S is any matrix"),
    ("if not abs(s[i][j] - wanted) <= radius:", "if not s[i][j] - wanted <= radius:", "S may be below the gradient"),
    ("wanted = a[i][j] - (y[i] if i == j else 0)", "wanted = s[i][j] if i == j else a[i][j]", "y is any numbers"),
    ("gap = size * (shift + size * radius) + loose", "gap = shift + size * radius + loose", "the trace is one"),
    ("gap = size * (shift + size * radius) + loose", "gap = size * (shift + size * radius)", "what is loose is left out"),
    ("loose = sum_of_products(a, g) - sum(y, arb(0))", "loose = sum(y, arb(0)) - sum_of_products(a, g)", "what is loose has the other sign"),
    ("if not gap + off <= claimed:", "if False:", "any gap may be claimed"),
    ("if not gap + off <= claimed:", "if not gap <= claimed:", "the loss claimed may be off by the gap"),
    # --- kinks
    ("            return inside_kinks(ast.unparse(a))", '            return "c"', "what is inside a kink may be anything"),
    ("right=ast.Constant(value=2)) | base:", "right=ast.Constant()) | base:", "any power of a kink is convex"),
    ("        return x, arb(1), arb(0)\n", "        return x, arb(0), arb(0)\n", "a kink has no slope"),
    ("    if x < 0:\n        return arb(0)", "    if not x > 0:\n        return arb(0)", "at a kink any slope is taken"),
    ("value, gap = value + less, gap + less", "value = value + less", "what is beneath a kink is left out of the gap"),
    ("value, gap = value + less, gap + less", "gap = gap + less", "the loss is that of what is beneath it"),
    ("if not 0 <= s <= 1 or ", "if ", "a side may be any number"),
    ('or ast.unparse(parsed(term["function"])) != f"max(0, {inside})"', "", "a square has a side, too"),
    ("over = (1 - s) * at if at > 0", "over = -s * at if at > 0", "before and beyond a kink are the same"),
    ("arb(0, abs(at).upper())", "arb(0)", "nothing is lost near a kink"),
    # --- the losses
    ("if not tau > 0:", "if False:", "a temperature may be negative"),
    ("                if not k >= 0:", "                if False:", "weights of positives may be negative"),
    ("        if not weight >= 0:\n", "        if False:\n", "coefficients may be negative"),
    ("if not weight >= 0 or not is_convex(", "if not is_convex(", "weights of pairs may be negative"),
    ('if not weight >= 0 or not is_convex(term["function"]):', "if not weight >= 0:", "functions need not be convex"),
    ("parts[2] >= 0:\n            continue", "parts[2].mid() >= 0:\n            continue", "convex in the middle of a box"),
    ("return False\n        middle", "return True\n        middle", "convex where it is not known"),
    ("[(Fraction(-1), Fraction(1), 0)]", "[(Fraction(0), Fraction(1), 0)]", "convex on half of the range"),
    ("number(str((high - low) / 2)))", "number(str((high - low) / 64)))", "boxes do not cover the range"),
    ("value += k * (total.log() - g[i][j] / tau)", "value += k * (total.log() - g[i][j])", "the temperature divides one of two"),
    ('((e[j] / total if term["own_positive"] else 0) - 1)', "(0 - 1)", "a positive of its own denominator has no slope"),
    ("joint += k / total", "joint += weight / total", "the denominator forgets the weights"),
    ("a[i][j] += joint * e[j] / tau", "a[i][j] += joint * e[j]", "the slope of the denominator lacks tau"),
    ("total = common + e[j] if term[\"own_positive\"] else common", "total = common", "own positives join no denominator"),
    ("a[i][j] += weight * slope", "a[i][j] += slope", "slopes of pairs lack their weights"),
    ("(slope[i][j] + slope[j][i]) / 2", "slope[i][j]", "the gradient is not symmetric"),
    ("(slope[i][j] + slope[j][i]) / 2", "(slope[i][j] + slope[j][i])", "the gradient is doubled"),
    ("weight = evaluated(term[\"weight\"]).parts[0] / size", "weight = evaluated(term[\"weight\"]).parts[0]", "a sum over points, no mean"),
    # --- jets and vectors
    ("dda * b + 2 * da * db + a * ddb", "dda * b + da * db + a * ddb", "the product rule of second order"),
    ("ddy * dx * dx + dy * ddx", "ddy * dx + dy * ddx", "the chain rule of second order"),
    ('"log": lambda x: (x.log(), 1 / x, -1 / x**2)', '"log": lambda x: (x.log(), 1 / x, 1 / x**2)', "logarithms are convex"),
    ("-1 / (4 * x * x.sqrt()))", "1 / (4 * x * x.sqrt()))", "roots are convex"),
    ("(1 / v, -1 / v**2, 2 / v**3)", "(1 / v, -1 / v**2, -2 / v**3)", "reciprocals are concave"),
    ("dot(a, b) / (s * t) if a is not b", "dot(a, b) if a is not b", "vectors are not scaled"),
    ("if not all(size > 0 for size in length):", "if False:", "a vector may be zero"),
]  # fmt: skip

MUTANTS = [Mutant(C, old, new, why, TESTS) for old, new, why in CHANGES]
