"""False statements, each by one slip from a true one.

That a slip of value changes the value is found with numbers; the others are false by what is
written: another name, a claim that is wider, a formula that has no value somewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import mpmath
from cltheory.derive.results import results
from sympy import Expr, Integer, Rational, oo

from .printed import (
    DIGITS,
    Node,
    Undefined,
    add,
    frac,
    minus,
    mul,
    num,
    places,
    power,
    printed,
    put,
    sym,
    symbols,
    tex,
    value,
)
from .statement import Maker, Written
from .targets import (
    CASES,
    TARGETS,
    THRESHOLDS,
    VARYING,
    Target,
    draw,
    misstates,
    plain,
    points,
    reference,
    same,
)
from .true import (
    AROUND_CONDITION,
    INNER,
    LIMITS,
    form,
    inner,
    removable,
    some,
    stated,
    style,
    symbol_of,
)


# --- value ----------------------------------------------------------------------------------
def slips(x: Node, names: list[str]) -> Iterator[Node]:
    """What a slip of the pen makes of a place."""
    if x.kind == "num":
        yield num(int(x.text) + 1)
        if int(x.text) > 1:
            yield num(int(x.text) - 1)
    elif x.kind == "sym":
        yield from (sym(s) for s in names if s != x.text)
        yield add(x, num(1), signs="+-")
        yield power(x, num(2))
    elif x.kind == "sum":
        for i, s in enumerate(x.text):
            yield replace(x, text=x.text[:i] + ("-" if s == "+" else "+") + x.text[i + 1 :])
            if len(x.parts) > 1:
                rest = [k for k in range(len(x.parts)) if k != i]
                yield add(*(x.parts[k] for k in rest), signs="".join(x.text[k] for k in rest))
    elif x.kind == "prod":
        for i in range(len(x.parts)):
            yield mul(*x.parts[:i], *x.parts[i + 1 :])
    elif x.kind == "frac":
        yield frac(x.parts[1], x.parts[0])
        yield x.parts[0]
    elif x.kind == "exp":
        (a,) = x.parts
        yield Node("exp", a.parts) if (a.kind, a.text) == ("sum", "-") else Node("exp", (minus(a),))
    elif x.kind == "log":
        yield x.parts[0]
        yield minus(x)
    elif x.kind == "pow":
        yield x.parts[0]
    elif x.kind == "sqrt":
        yield x.parts[0]
    elif x.kind in ("max", "min"):
        yield replace(x, kind="min" if x.kind == "max" else "max")
    elif x.kind == "relation":
        for other in ("<", "<=", ">", ">=", "!="):
            if other != x.text:
                yield replace(x, text=other)


def slip(node: Node, target: Target, chance: random.Random) -> Node | None:
    """The formula with one slip that changes the value."""
    names = sorted(symbols(node))
    every = [(at, new) for at, part in places(node) for new in slips(part, names)]
    if not every:
        return None
    at, new = chance.choice(every)
    found = put(node, at, new)
    return found if misstates(found, target, chance) else None


def wrong_value(chance: random.Random) -> Written | None:
    target = some(chance)
    node = form(target, chance) if chance.random() < 0.5 else printed(target.derived)
    found = slip(node, target, chance)
    if found is None:
        return None
    chosen, name = style(chance), target.symbol
    return Written(
        "", target.directive(), f"{name} = {tex(found, chosen)}",
        original=f"{name} = {tex(node, chosen)}",
    )  # fmt: skip


def wrong_case(chance: random.Random) -> Written | None:
    target = chance.choice(CASES)
    node = printed(target.derived)
    found = slip_of_case(node, target, chance)
    if found is None:
        return None
    source = f"{target.symbol} = {tex(found)}"
    return Written("", target.directive(), source, original=stated(target))


def slip_of_case(node: Node, target: Target, chance: random.Random) -> Node | None:
    """As ``slip``; the points are those where cases begin, too."""
    every = [(at, new) for at, part in places(node) for new in slips(part, sorted(symbols(node)))]
    at, new = chance.choice(every)
    found = put(node, at, new)
    with mpmath.workdps(DIGITS):
        for p in points(target, chance, 12):
            for s, r in target.meant.domain.ranges.items():
                for edge in (r.low, r.high, p[s]):
                    there = {**p, s: edge.xreplace(p)}
                    if not (there[s].is_finite and target.meant.domain.contains(there)):
                        continue
                    at_ = {k.name: mpmath.mpf(str(v.evalf(DIGITS))) for k, v in there.items()}
                    try:
                        if not same(value(found, at_), value(node, at_)):
                            return found
                    except Undefined:
                        return found
    return None


def wrong_side(chance: random.Random) -> Written | None:
    """A chain of which one side is false."""
    target = some(chance)
    node = printed(target.derived)
    found = slip(node, target, chance)
    if found is None:
        return None
    chosen, name = style(chance), target.symbol
    good, bad = tex(node, chosen), tex(found, chosen)
    first = chance.random() < 0.6
    shape = chance.choice(["{} = {} = {}", "{} &= {} \\\\ &= {}"])
    pair = (bad, good) if first else (good, bad)
    return Written(
        "", target.directive(), shape.format(name, *pair), original=shape.format(name, good, good)
    )


# --- thresholds: which way, and with which ends -----------------------------------------------
_SIGN = {">": ">", "<": "<", ">=": r"\ge", "<=": r"\le"}
_STRICT = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_FLIPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def wrong_bound(chance: random.Random) -> Written | None:
    target = some(chance, THRESHOLDS)
    assert target.bound is not None
    s, relation = target.bound
    if target.derived.has(s):
        return None
    name, a = tex(sym(s)), tex(printed(target.derived), style(chance))
    r = target.meant.result.domain.ranges[s]
    other = chance.choice([_STRICT, _FLIPPED])[relation]
    kinds = [(f"{name} {{}} {a}", _SIGN[relation], _SIGN[other])]
    strict = _STRICT[relation]
    if relation[0] == ">":
        end = r"\infty" if r.high == oo else str(r.high)
        close = ")" if r.high == oo else "])"[r.high_open]
        brackets = {">": r"\left(", ">=": r"\left["}
        kinds.append((rf"{name} \in {{}}{a}, {end}\right{close}", brackets[relation],
                      brackets[strict]))  # fmt: skip
        if r.high != oo:
            kinds.append((rf"{a} {{}} {name} \le {r.high}", _SIGN[_FLIPPED[relation]],
                          _SIGN[_FLIPPED[strict]]))  # fmt: skip
    elif r.low == 0:
        brackets = {"<": r"\right)", "<=": r"\right]"}
        kinds.append((rf"{name} \in \left(0, {a}{{}}", brackets[relation], brackets[strict]))
        kinds.append((rf"0 < {name} {{}} {a}", _SIGN[relation], _SIGN[strict]))
    shape, good, bad = chance.choice(kinds)
    one, rest = shape.split("{}", 1)
    return Written("", target.directive(), one + bad + rest, original=one + good + rest)


def second_claim(chance: random.Random) -> Written | None:
    """A bound, and something beside it that is more than the domain says."""
    target = chance.choice(THRESHOLDS)
    assert target.bound is not None
    s, relation = target.bound
    name, a = tex(sym(s)), tex(printed(target.derived))
    main = f"{name} {_SIGN[relation]} {a}"
    number = chance.choice([r"\frac12", "0.7", r"\frac{1}{3}"])
    there = sorted((x for x in target.derived.free_symbols if x.is_integer), key=str)
    integer = f"{tex(sym(there[0]))} \\ge 4" if there else "1 = 1"
    beside = chance.choice([
        rf" \text{{ for all }} {integer} \text{{ and }} {name} > {number}",
        rf", \qquad {name} \ge {number}", rf" \quad \text{{and}} \quad {name} < {number}",
        rf" \text{{ where }} {name} > {number}", rf"\quad ({name} < {number})",
    ])  # fmt: skip
    return Written("", target.directive(), main + beside)


# --- left side ------------------------------------------------------------------------------
def other_name(chance: random.Random) -> Written | None:
    """The name of another quantity, or of a parameter."""
    target = some(chance)
    id = target.id
    bound = target.bound
    names = [(q.symbol, Target(id, n)) for n, q in results[id].quantities.items()
             if q.is_number and q.symbol != target.symbol]  # fmt: skip
    if chance.random() < 0.3:
        free = [s for s in target.meant.domain.ranges if not bound or s != bound[0]]
        name = tex(sym(chance.choice(sorted(free, key=str))))
        if chance.random() < 0.5:
            name = rf"{name}_{{\min}}"
    elif not names:
        return None
    else:
        name, other = chance.choice(names)
        if other in TARGETS and not _apart(target, other, chance):
            return None
    return Written("", target.directive(), f"{name} = {tex(form(target, chance), style(chance))}")


def _apart(one: Target, other: Target, chance: random.Random) -> bool:
    """Whether two quantities differ where both are meant."""
    for p in points(one, chance, 6):
        if other.meant.domain.contains({s: v for s, v in p.items()
                                        if s in other.meant.domain.ranges}):  # fmt: skip
            try:
                if not same(reference(one, p), reference(other, p)):
                    return True
            except (ValueError, TypeError):
                continue
    return False


def unknown_name(chance: random.Random) -> Written | None:
    """A name that nothing says to be the quantity."""
    target = some(chance)
    name = chance.choice(["Q", "A", r"\beta", "f(m, n)", r"x_{0}", r"\hat{c}", r"\sigma^2",
                          r"\mathcal{R}", "d", r"\Delta_{\max}", r"\lambda_1", "F(s)"])  # fmt: skip
    source = f"{name} = {tex(printed(target.derived), style(chance))}"
    return Written("", target.directive(), source)


def changed_name(chance: random.Random) -> Written | None:
    """A function of the quantity, where the value is the quantity's."""
    target = some(chance)
    name = target.symbol
    if r"\lim" in name or "\\frac1m" in name:
        return None
    twice = chance.choice([
        (rf"{name}^2" if "^" not in name else rf"\left({name}\right)^2", 2),
        (rf"2 {name}", "2x"), (rf"-{name}", "-x"), (rf"\frac{{1}}{{{name}}}", "1/x"),
        (rf"1 - {name}", "1-x"), (rf"\log {name}", ""), (rf"\sqrt{{{name}}}", "r"),
        (rf"\sin({name})", ""), (rf"|{name}|", "abs"), (rf"n {name}", ""), (rf"{name}'", ""),
        (rf"\widetilde{{{name}}}", ""), (rf"f({name})", ""), (rf"\mathbb{{E}}[{name}]", ""),
    ])  # fmt: skip
    if not _moves(str(twice[1]), target, chance):
        return None
    return Written("", target.directive(), f"{twice[0]} = {tex(printed(target.derived))}")


def _moves(kind: str, target: Target, chance: random.Random) -> bool:
    """Whether the function changes the value somewhere."""
    functions = {"2": lambda x: x * x, "2x": lambda x: 2 * x, "-x": lambda x: -x,
                 "1/x": lambda x: 1 / x if x else x + 1, "1-x": lambda x: 1 - x,
                 "abs": abs, "r": lambda x: mpmath.sqrt(abs(x)) if x >= 0 else x + 1}  # fmt: skip
    if kind not in functions:
        return True
    with mpmath.workdps(DIGITS):
        values = [reference(target, p) for p in points(target, chance, 8)]
        return any(not same(functions[kind](x), x) for x in values)


def other_arguments(chance: random.Random) -> Written | None:
    """The quantity at other arguments than the formula has."""
    target = chance.choice([t for t in VARYING if t.symbol.startswith("\\alpha")
                            or t.symbol.startswith("\\tau")])  # fmt: skip
    there = sorted(target.derived.free_symbols, key=str)
    inside = [tex(sym(s)) for s in there]
    k = chance.randrange(len(inside))
    inside[k] = chance.choice([f"{inside[k]} - 1", f"2 {inside[k]}", f"{inside[k]}^2", "7",
                               rf"\frac{{1}}{{{inside[k]}}}"])  # fmt: skip
    name = f"{target.symbol}({', '.join(inside)})"
    return Written("", target.directive(), f"{name} = {tex(printed(target.derived))}")


def other_limit(chance: random.Random) -> Written | None:
    target = chance.choice(LIMITS)
    name = target.symbol.split("}", 1)[1]
    letters = [r"\delta"] if target.id == "ccem" else ["n", "m", r"\tau", "p"]
    own = target.symbol[len(r"\lim_{") :].split(r"\to")
    s, point = chance.choice(letters), chance.choice(["0", r"\infty", "1"])
    if (s, point) == (own[0], own[1].split("}")[0].strip()):
        return None
    # The value must be another one: the base at other places is.
    if s == "p" or (target.derived == Rational(1) and (s, point) == (r"\tau", r"\infty")):
        return None
    a = tex(printed(target.derived))
    source = chance.choice([
        rf"\lim_{{{s}\to {point}}} {name} = {a}",
        rf"{name} \to {a} \quad \text{{as }} {s} \to {point}",
        rf"{name} = {a}" if not name.startswith(r"\tau") else rf"2 {name} = {a}",
    ])  # fmt: skip
    return Written("", target.directive(), source)


def other_vectors(chance: random.Random) -> Written | None:
    target = chance.choice(INNER)
    name = target.symbol
    one, other = name.split(r"^\top ")
    alike = {"u_i^\\top v_i": ["u_i^\\top v_j", "u_i^\\top u_j", "v_i^\\top v_j", "u_1^\\top v_2"],
             "u_i^\\top v_j": ["u_i^\\top v_i", "u_i^\\top u_j", "u_i^\\top u_i"],
             "u_i^\\top u_j": ["u_i^\\top v_j", "u_i^\\top v_i", "u_i^\\top u_i"],
             "u^\\top v": ["u^\\top w", "u^\\top u", "v^\\top w", "u_i^\\top v_j"],
             "u^\\top w": ["u^\\top v", "u^\\top u", "w^\\top w"]}[name]  # fmt: skip
    functions = [
        (rf"\|{one} - {other}\|^2", "2-2x"), (rf"\langle {one}, {other}\rangle^2", "2"),
        (rf"({one}^\top {other})^2", "2"), (rf"\left|{one}^\top {other}\right|", "abs"),
        (rf"-{one}^\top {other}", "-x"), (rf"\|{one}\|^2", ""), (rf"\|{one} + {other}\|", ""),
        (rf"2\,{one}^\top {other}", "2x"), (rf"\cos({one}, {other})", ""),
        (rf"{one} \times {other}", ""), (rf"{one} {other}^\top", ""),
    ]  # fmt: skip
    if chance.random() < 0.5:
        left = chance.choice(alike)
        if chance.random() < 0.4:
            left = chance.choice(inner(left))
    else:
        left, kind = chance.choice(functions)
        if kind == "2-2x":
            kind = ""
        if not _moves(kind, target, chance):
            return None
    return Written("", target.directive(), f"{left} = {tex(printed(target.derived))}")


# --- definedness ----------------------------------------------------------------------------
def undefined(chance: random.Random) -> Written | None:
    """The value, with something that has no value at an admissible point."""
    target = chance.choice(VARYING)
    s = symbol_of(target, chance)
    at = draw(target, chance)[s]
    if not at.is_Integer:
        at = Rational(round(float(at) * 4), 4)
    x, k = sym(s), printed(at)
    gap = add(x, k, signs="+-") if k.kind != "sum" else add(x, *k.parts, signs="++")
    turned = add(k, x, signs="+-")
    a, zero = printed(target.derived), _zero(x, chance)
    node = chance.choice([
        mul(a, frac(zero, zero)),
        add(a, Node("log", (turned,)), Node("log", (turned,)), signs="++-"),
        add(a, power(Node("sqrt", (gap,)), num(2)), x, k, signs="++-+"),
        mul(a, frac(gap, gap)),
        add(a, frac(num(1), gap), frac(num(1), gap), signs="++-"),
        mul(a, frac(Node("sqrt", (gap,)), Node("sqrt", (gap,)))),
        add(a, mul(num(0), Node("log", (gap,)))),
        mul(a, power(frac(zero, num(1)), num(0))),
        mul(a, Node("exp", (add(Node("log", (gap,)), Node("log", (gap,)), signs="+-"),))),
        frac(mul(a, gap), gap),
        add(a, Node("sqrt", (turned,)), Node("sqrt", (turned,)), signs="++-"),
        add(a, frac(x, mul(gap, gap)), frac(x, power(gap, num(2))), signs="++-"),
    ])  # fmt: skip
    if not _gap_is_met(node, s.name, at, target, chance):
        return None
    return Written("", target.directive(), f"{target.symbol} = {tex(node, style(chance))}")


def removable_gap(chance: random.Random) -> Written | None:
    """A removable singularity, and a directive that does not allow it."""
    return removable(chance, "")


def _zero(x: Node, chance: random.Random) -> Node:
    """Something that vanishes everywhere."""
    square = add(power(add(x, num(1)), num(2)), power(x, num(2)), mul(num(2), x), num(1),
                 signs="+---")  # fmt: skip
    logs = add(Node("log", (mul(num(2), x),)), Node("log", (num(2),)), Node("log", (x,)),
               signs="+--")  # fmt: skip
    exps = add(Node("exp", (mul(num(2), x),)), power(Node("exp", (x,)), num(2)), signs="+-")
    return chance.choice([square, logs, exps])


def _gap_is_met(node: Node, s: str, at: Expr, target: Target, chance: random.Random) -> bool:
    """Whether the formula has no value at some admissible point, maybe one with s there."""
    with mpmath.workdps(DIGITS):
        for p in points(target, chance, 8):
            for there in (p, {**p, **{k: at for k in p if k.name == s}}):
                inside = {k: v for k, v in there.items() if k in target.meant.domain.ranges}
                if not target.meant.domain.contains(inside):
                    continue
                try:
                    value(node, plain(there))
                except Undefined:
                    return True
    return False


def both_sides(chance: random.Random) -> Written | None:
    """Both sides times something that vanishes: nothing is said there."""
    target = chance.choice([t for t in VARYING if r"\lim" not in t.symbol])
    s = symbol_of(target, chance)
    at = draw(target, chance)[s]
    if not at.is_Integer:
        return None
    gap = tex(add(sym(s), printed(at), signs="+-"))
    factor = chance.choice([
        rf"\left({gap}\right)", rf"\left({gap}\right)^2", rf"\log\frac{{{tex(sym(s))}}}{{{at}}}",
    ])  # fmt: skip
    if at <= 0:
        factor = rf"\left({gap}\right)"
    a = tex(printed(target.derived))
    return Written("", target.directive(), rf"{factor} {target.symbol} = {factor} \left({a}\right)")


def partly(chance: random.Random) -> Written | None:
    """True on a part of the domain: by a maximum, an absolute value, a branch."""
    target = chance.choice(VARYING)
    s = symbol_of(target, chance)
    at = draw(target, chance)[s]
    if not at.is_Integer:
        return None
    x, k = sym(s), printed(at)
    a = printed(target.derived)
    gap = add(x, k, signs="+-")
    node = chance.choice([
        add(a, Node("max", (num(0), gap)), gap, signs="++-"),
        add(a, Node("sqrt", (power(gap, num(2)),)), gap, signs="++-"),
        Node("max", (a, mul(a, x))),
        mul(a, frac(Node("sqrt", (power(gap, num(2)),)), gap)),
        Node("min", (a, frac(x, add(k, num(1))))),
    ])  # fmt: skip
    if not misstates(node, target, chance):
        return None
    return Written("", target.directive(), f"{target.symbol} = {tex(node)}")


# --- conditions -----------------------------------------------------------------------------
def wider(chance: random.Random) -> Written | None:
    """A claim for more than the domain."""
    target = chance.choice(VARYING)
    found = []
    for s, r in target.meant.domain.ranges.items():
        if s not in target.derived.free_symbols or (r.integer and not r.low.is_Integer):
            continue
        name = tex(sym(s))
        if r.integer:
            k = int(r.low)
            found += [rf"{name} \ge {k - 1}", rf"{name} > {k - 2}", rf"{name} \ge 0"]
        elif r.low == 0 and r.low_open:
            found += [rf"{name} \ge 0", rf"{name} \in [0, \infty)", rf"{name} \in \mathbb{{R}}",
                      rf"{name} > -1"]  # fmt: skip
        elif r.high == 1:
            found += [rf"{name} \in [0, 2]", rf"{name} \in [-1, 1]", rf"-1 \le {name} \le 1"]
            if r.low != Integer(0):
                found.append(rf"{name} \in [0, 1]")
    if not found:
        return None
    beside = chance.choice(AROUND_CONDITION).format(chance.choice(found))
    return Written("", target.directive(), stated(target) + beside)


UNREADABLE = (
    r" \quad \text{with probability } 1/2", r" \text{ approximately}",
    r" \quad \text{in expectation}", r" \quad \text{up to constants}",
    r" \quad \text{for most } m", r" + o(1)", r" + \mathcal{O}(1/n)",
    r" \quad \text{unless } m = 3", r" \quad \text{(false)}", r" \text{ is wrong}",
    r" \quad \text{where } \tau \gets 2\tau",
    r", \quad \text{with } m \text{ replaced by } m + 1", r" \quad \text{modulo } 2",
    r" \pmod{n}", r", \qquad \text{where we set } \tau = 2", r" \quad \text{does not hold}",
    r" \quad \text{if and only if the loss is convex}", r" \quad \text{a.s.}",
    r" \quad \text{as a lower bound}", r" \text{ at most}", r" \cdots",
    r" \quad \text{for all } m \text{ but one}", r"\ ?", r" \quad \text{(conjectured)}", r"\,!",
    r" \quad \text{times a constant}", r" \quad \text{, squared}",
    r" \quad \text{where } n := n + 1",
)  # fmt: skip
DOUBTFUL = (
    r"\overset{?}{=}", r"\stackrel{?}{=}", r"\stackrel{\text{not}}{=}", r"\not=", r"\neq",
    r"\approx", r"\equiv", r"\propto", r"\simeq", r"\overset{!}{=}", r"\leftarrow", r"\gets",
    r"\mapsto", r"\sim", r"\stackrel{\text{wrong}}{=}", r"\underset{n\to\infty}{=}", r"\cong",
    r"\asymp", r"\lesssim", r"\nless", r"\overset{d}{=}", r"\xrightarrow{?}", r"\cancel{=}",
    r"\ge", r"<",
)  # fmt: skip


def unreadable(chance: random.Random) -> Written | None:
    """Words that take back or change what the formula says."""
    target = some(chance)
    return Written("", target.directive(), stated(target) + chance.choice(UNREADABLE))


def doubtful(chance: random.Random) -> Written | None:
    """A sign that is not that of equality."""
    target = some(chance)
    sign = chance.choice(DOUBTFUL)
    return Written("", target.directive(), f"{target.symbol} {sign} {tex(printed(target.derived))}")


def redefined_letter(chance: random.Random) -> Written | None:
    """A letter of the formula is said to be something else, or a piece is false."""
    target = chance.choice(VARYING)
    there = sorted(target.derived.free_symbols, key=str)
    x, other = tex(sym(chance.choice(there))), tex(sym(chance.choice(there)))
    tail = chance.choice([
        rf", \qquad {x} = 2 {other}", rf", \quad \text{{where }} {x} := {other} + 1",
        rf", \qquad {x} = 7", rf" \quad \text{{with }} {x} = \frac{{1}}{{{other}}}",
    ])  # fmt: skip
    return Written("", target.directive(), stated(target) + tail)


KINDS: dict[str, tuple[int, Maker]] = {
    "false/value": (420, wrong_value),
    "false/value in a chain": (60, wrong_side),
    "false/value in cases": (24, wrong_case),
    "false/bound": (80, wrong_bound),
    "false/left: other name": (60, other_name),
    "false/left: unknown name": (40, unknown_name),
    "false/left: function": (60, changed_name),
    "false/left: arguments": (24, other_arguments),
    "false/left: limit": (30, other_limit),
    "false/left: vectors": (60, other_vectors),
    "false/defined": (140, undefined),
    "false/defined: removable": (60, removable_gap),
    "false/defined: both sides": (24, both_sides),
    "false/defined: in part": (40, partly),
    "false/condition: wider": (80, wider),
    "false/condition: second claim": (40, second_claim),
    "false/condition: words": (60, unreadable),
    "false/condition: sign": (50, doubtful),
    "false/condition: letter": (30, redefined_letter),
}
