"""True statements, in the forms and the typography of authors."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from sympy import Expr, Max, Min, Piecewise, Symbol, exp, expand, factor, oo, together

from .printed import (
    Node,
    Style,
    add,
    frac,
    letter,
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
)
from .statement import Maker, Written
from .targets import (
    CASES,
    FORMULAS,
    TARGETS,
    THRESHOLDS,
    VARYING,
    Target,
    Targets,
    given,
    has_gap,
    points,
    sign_of,
    states,
)

# --- forms: other trees of the same value ---------------------------------------------------
#: More operations than this and the algebra of a form takes longer than a test may.
LARGE = 45


def divided_through(e: Expr) -> Expr:
    """Numerator and denominator times the inverse of an exponential in them."""
    above, below = together(e).as_numer_denom()
    found = sorted((above.atoms(exp) | below.atoms(exp)), key=str)
    if not found:
        return e
    turned = exp(-found[0].args[0])
    return expand(above * turned) / expand(below * turned)


FORMS: tuple[Callable[[Expr], Expr], ...] = (
    lambda e: e,
    lambda e: e,
    expand,
    together,
    factor,
    divided_through,
    lambda e: 1 / (1 / e).expand(),
)
#: Forms that divide by what the formula is.
TURNED = FORMS[-1:]


def form(target: Target, chance: random.Random) -> Node:
    """The value in one form or another."""
    e = target.derived
    simple = not e.has(Max, Min, Piecewise) and e.count_ops() <= LARGE
    if simple and e != 0:
        chosen = chance.choice(FORMS)
        changed = e if chosen in TURNED and not sign_of(printed(e), target) else chosen(e)
        e = changed if changed.count_ops() <= 3 * LARGE else e
    node = printed(e)
    for _ in range(chance.randint(0, 3)):
        node = rewritten(node, target, chance)
    return node


def rewritten(node: Node, target: Target, chance: random.Random) -> Node:
    """The same value with one place written differently."""
    found = [(at, new) for at, part in places(node) for new in rewrites(part, target, chance)]
    return put(node, *chance.choice(found)) if found else node


def rewrites(x: Node, target: Target, chance: random.Random) -> list[Node]:
    """Other ways to write a part, with a value wherever the quantity has one."""
    if x.kind == "sum" and len(x.parts) > 1:
        order = list(range(len(x.parts)))
        chance.shuffle(order)
        return [add(*(x.parts[i] for i in order), signs="".join(x.text[i] for i in order))]
    if x.kind == "prod":
        factors = list(x.parts)
        chance.shuffle(factors)
        return [mul(*factors)] if factors[-1].kind != "num" else []
    if x.kind == "frac":
        one, other = x.parts
        turns = one.text != "1" and sign_of(one, target)
        out = [frac(num(1), frac(other, one))] if turns else []
        if other.kind == "prod":
            out.append(frac(frac(one, mul(*other.parts[:-1])), other.parts[-1]))
        if one.kind == "prod":
            out.append(mul(*one.parts[:-1], frac(one.parts[-1], other)))
        return out
    if x.kind == "exp":
        (a,) = x.parts
        if a.kind == "sum" and a.text == "-":
            return [frac(num(1), Node("exp", a.parts))]
        if a.kind == "sum" and len(a.parts) > 1:
            return [mul(*(Node("exp", (p if s == "+" else minus(p),))
                          for s, p in zip(a.text, a.parts, strict=True)))]  # fmt: skip
        return []
    if x.kind == "log":
        (a,) = x.parts
        if any(sign_of(p, target) < 1 for p in a.parts):
            return []
        if a.kind == "frac":
            one, other = (Node("log", (p,)) for p in a.parts)
            turned = minus(Node("log", (frac(a.parts[1], a.parts[0]),)))
            return [add(one, other, signs="+-"), turned]
        if a.kind == "prod":
            return [add(*(Node("log", (p,)) for p in a.parts))]
        return []
    if x.kind == "sqrt":
        return [power(x.parts[0], frac(num(1), num(2)))]
    return []


def stated(target: Target) -> str:
    """The statement as the tool would print it."""
    return f"{target.symbol} = {tex(printed(target.derived))}"


def symbol_of(target: Target, chance: random.Random) -> Symbol:
    """A symbol of the formula that has a range."""
    there = target.derived.free_symbols & set(target.meant.domain.ranges)
    return chance.choice(sorted(there, key=str))


# --- styles ---------------------------------------------------------------------------------
FRACTIONS = (
    (r"\frac",), (r"\frac", r"\tfrac"), (r"\dfrac", r"\frac"), (r"\cfrac",), ("over",),
    (r"\frac", "/"), ("/",), (r"\frac", r"\nicefrac"), (r"\tfrac", "/"),
)  # fmt: skip


def style(chance: random.Random) -> Style:
    plain = chance.random() < 0.5
    return Style(
        (r"\frac",) if plain else chance.choice(FRACTIONS),
        "e^" if plain else chance.choice([r"\exp", "e^", r"\mathrm{e}^"]),
        r"\left(" if plain else chance.choice([r"\left(", "(", r"\bigl(", r"\left[", r"\Big("]),
        " " if plain else chance.choice([" ", r" \cdot ", r"\,", r"\, ", r" \times "]),
        r"\log" if plain else chance.choice([r"\log", r"\ln"]),
    )


#: Signs of a definition or of equality.
EQUAL = ("=", "=", "=", ":=", r"\mathrel{:=}", r"\coloneqq", r"\triangleq", r"\;=\;", "&=")


def names(target: Target) -> list[str]:
    """Spellings of the quantity's own name."""
    name = target.symbol
    found = [name]
    if r"\lim" in name:
        return found
    words = re.findall(r"\\mathrm\{(\w+)\}|\\(min|max)\b", name)
    if words and "_{" in name:
        word = words[0][0] or words[0][1]
        stem = name.split("_")[0]
        if re.fullmatch(rf"\S+_\{{(\\mathrm\{{{word}\}}|\\{word})\}}", name):
            found += [rf"{stem}_{{\mathrm{{{word}}}}}", rf"{stem}_{{\text{{{word}}}}}",
                      rf"{stem}_{{\rm {word}}}", rf"{stem}_{{\textrm{{{word}}}}}",
                      rf"{stem}_\mathrm{{{word}}}"]  # fmt: skip
    if r"^\star" in name:
        found += [name.replace(r"^\star", "^*"), name.replace(r"^\star", r"^{\star}")]
    if r"^\top" in name:
        found += inner(name)
    return found


def inner(name: str) -> list[str]:
    """Spellings of an inner product."""
    one, other = name.split(r"^\top ")
    bold = [re.sub(r"^(\w)", r"\\mathbf{\1}", v) for v in (one, other)]
    return [
        rf"\langle {one}, {other}\rangle",
        rf"\left\langle {one}, {other} \right\rangle",
        rf"{one}^{{\top}} {other}",
        rf"{one}^T {other}",
        rf"{one} \cdot {other}",
        rf"{bold[0]}^\top {bold[1]}",
    ]


def left(target: Target, chance: random.Random) -> str:
    """The quantity's own name, mostly as the tool prints it."""
    return target.symbol if chance.random() < 0.7 else chance.choice(names(target))


def some(chance: random.Random, among: Sequence[Target] = FORMULAS) -> Target:
    target = chance.choice(among)
    if chance.random() < 0.15 and among is not CASES:
        return given(target, chance) or target
    return target


# --- kinds ----------------------------------------------------------------------------------
def algebra(chance: random.Random) -> Written | None:
    target = some(chance)
    node = form(target, chance)
    if not states(node, target, chance):
        return None
    return Written("", target.directive(), f"{target.symbol} = {tex(node, style(chance))}")


def definition(chance: random.Random) -> Written | None:
    target = some(chance)
    source = f"{left(target, chance)} {chance.choice(EQUAL)} {tex(printed(target.derived))}"
    return Written("", target.directive(), source)


def equivalence(chance: random.Random) -> Written | None:
    target = some(chance)
    sign = chance.choice([r"\equiv", r"\doteq", r"\overset{\mathrm{def}}{=}",
                          r"\stackrel{\text{def}}{=}", r"\stackrel{\triangle}{=}"])  # fmt: skip
    declared = rf"{sign} -> =" if sign in (r"\equiv", r"\doteq") else ""
    source = f"{target.symbol} {sign} {tex(printed(target.derived))}"
    return Written("", target.directive(declared), source)


def declared(chance: random.Random) -> Written | None:
    """Another name for the quantity, or other letters, declared in the directive."""
    target = some(chance)
    node = printed(target.derived)
    if chance.random() < 0.5 or not symbols(node):
        name = chance.choice(["A", r"\hat{a}", "F", r"a_{c}", r"\beta^\star", r"\kappa"])
        source = f"{name} = {tex(node, style(chance))}"
        return Written("", target.directive(f"{name} -> {target.name}"), source)
    old = chance.choice(sorted(symbols(node)))
    new = chance.choice(["C", "M", r"\theta", "T_0", "N^-", r"\kappa"])
    said = f"{new} -> {old}"
    chosen = Style(names={old: new})
    if chance.random() < 0.3:
        said, node = f"{new} -> {old} - 1", _shifted(node, old, new)
        chosen = Style()
    return Written("", target.directive(said), f"{target.symbol} = {tex(node, chosen)}")


def _shifted(node: Node, old: str, new: str) -> Node:
    """With ``new + 1`` for a symbol."""
    if node.kind == "sym" and node.text == old:
        return add(letter(new, sym(old)), num(1))
    return Node(node.kind, tuple(_shifted(p, old, new) for p in node.parts), node.text)


def pieces(chance: random.Random) -> Written | None:
    """A letter for a piece, declared in the directive or said behind the formula."""
    target = some(chance, VARYING)
    node = printed(target.derived)
    found = [(at, p) for at, p in places(node) if p.kind in ("exp", "log", "sqrt", "sum") and at]
    if not found:
        return None
    at, part = chance.choice(found)
    name = chance.choice(["q", "r_0", r"\rho", "Q"])
    if name == "q" and target.id == "variance-bound":
        return None
    whole = tex(put(node, at, letter(name, part)))
    if chance.random() < 0.5:
        said = f"{name} -> {_python(part)}"
        if len(said) > 200:
            return None  # longer than a directive takes
        return Written("", target.directive(said), f"{target.symbol} = {whole}")
    tail = chance.choice([
        rf", \qquad {name} = {tex(part)}", rf", \quad \text{{where }} {name} = {tex(part)}",
        rf" \quad \text{{with }} {name} := {tex(part)}", rf", \qquad {name} := {tex(part)} .",
    ])  # fmt: skip
    return Written("", target.directive(), f"{target.symbol} = {whole}{tail}")


def _python(x: Node) -> str:
    """As an expression in a directive."""
    inside = [_python(p) for p in x.parts]
    if x.kind == "sum":
        text = "".join(f" {s} {p}" for s, p in zip(x.text, inside, strict=True))
        return f"({text.removeprefix(' + ').strip()})"
    signs = {"prod": "*", "frac": "/", "pow": "**"}
    if x.kind in signs:
        return "(" + f" {signs[x.kind]} ".join(inside) + ")"
    return f"{x.kind}({inside[0]})" if inside else x.text


def around(chance: random.Random) -> Written | None:
    """What stands around a formula and says nothing."""
    target = some(chance)
    name, body = left(target, chance), tex(form(target, chance), style(chance))
    node_is = chance.choice([
        rf"\boxed{{{name} = {body}}}", rf"{name} = \boxed{{{body}}}",
        rf"\ensuremath{{{name}}} = \ensuremath{{{body}}}", rf"{name} = {body} .",
        rf"{name} = {body}\;,", rf"{name} = {body}\,.", rf"{name} = {body} \; .",
        rf"\begin{{aligned}} {name} &= {body} \end{{aligned}}", rf"{{{name}}} = {{{body}}},",
        rf"\begin{{split}} {name} &= {body}. \end{{split}}", rf"{name} = \left. {body} \right.",
        rf"\displaystyle {name} = {body} \nonumber", rf"{name} = {body} \label{{eq:one}}",
        rf"{name} = {body} \tag{{3}}", rf"\quad {name} = {body} \quad",
        rf"{name} \, = \, {body}\ .", rf"{body} = {name}",
    ])  # fmt: skip
    return Written("", target.directive(), node_is)


def chains(chance: random.Random) -> Written | None:
    target = some(chance)
    one, other = form(target, chance), form(target, chance)
    if not (states(one, target, chance) and states(other, target, chance)):
        return None
    a, b, name = tex(one, style(chance)), tex(other, style(chance)), target.symbol
    source = chance.choice([
        rf"{name} = {a} = {b}", rf"{name} &= {a} \\ &= {b}", rf"{a} = {b} = {name}",
        rf"\begin{{aligned}} {name} &= {a} \\ &= {b} . \end{{aligned}}",
        rf"{name} := {a} = {b}", rf"{name} = {a} \\ = {b}",
        rf"\begin{{split}} {name} = {{}}& {a} \\ = {{}}& {b} \end{{split}}",
    ])  # fmt: skip
    return Written("", target.directive(), source)


def two(chance: random.Random) -> Written | None:
    """Two quantities in one display."""
    id = chance.choice(sorted({t.id for t in FORMULAS}))
    of_it = [t for t in FORMULAS if t.id == id and r"\lim" not in t.symbol]
    if len(of_it) < 2:
        return None
    one, other = chance.sample(of_it, 2)
    texts = [f"{t.symbol} = {tex(printed(t.derived), style(chance))}" for t in (one, other)]
    between = chance.choice([r" \\ ", r", \qquad ", r" \quad\text{and}\quad ", r", \\ "])
    source = between.join(texts)
    if "\\\\" in between and chance.random() < 0.5:
        source = re.sub(r" = ", " &= ", source)
    return Written("", f"{one.text}, {other.text}", source)


def cased(chance: random.Random) -> Written | None:
    target = chance.choice(CASES)
    node = printed(target.derived)
    return Written("", target.directive(), f"{target.symbol} = {tex(node, style(chance))}")


# --- conditions beside it -------------------------------------------------------------------
def ranges(target: Target, narrow: bool, chance: random.Random) -> list[str]:
    """What can be said of the symbols of a formula: their domain, or less."""
    found = []
    for s, r in target.meant.domain.ranges.items():
        if s not in target.derived.free_symbols or (r.integer and not r.low.is_Integer):
            continue
        name = tex(sym(s))
        low, high = tex(printed(r.low)) if r.low != -oo else "", r.high
        if r.integer:
            k = int(r.low) + 1 if narrow else int(r.low)
            found.append([rf"{name} \ge {k}", rf"{name} \geq {k}", rf"{name} > {k - 1}",
                          rf"{name} \in \mathbb{{N}}, {name} \ge {k}"])  # fmt: skip
        elif not low:
            found.append([rf"{name} > 0", rf"{name} \in (-1, 1)"] if narrow
                         else [rf"{name} \in \mathbb{{R}}"])  # fmt: skip
        elif high == oo:
            above = rf"{name} > {low}" if r.low_open else rf"{name} \ge {low}"
            brackets = "(" if r.low_open else "["
            more = (r"\frac12", "7") if low == "0" else (rf"{low} + \frac12", rf"{low} + 7")
            found.append([rf"{name} > {more[1]}", rf"{more[0]} < {name} \le {more[1]}"]
                         if narrow else
                         [above, rf"{name} \in {brackets}{low}, \infty)"])  # fmt: skip
        elif high == 1:
            a, b = ("<" if r.low_open else r"\le"), ("<" if r.high_open else r"\le")
            left, right = "[("[r.low_open], "])"[r.high_open]
            inside = [rf"{low} < {name} < 1", rf"{name} \in ({low}, 1)"]
            found.append(inside if narrow else [rf"{low} {a} {name} {b} 1",
                                                rf"{name} \in {left}{low}, 1{right}"])  # fmt: skip
    return [chance.choice(f) for f in found]


AROUND_CONDITION = (
    r", \qquad {}", r" \quad ({})", r" \quad \text{{for all }} {}", r"\text{{ for all }} {}",
    r", \quad \forall\, {}", r" \quad \text{{if }} {}", r" \quad \text{{for }} {} .",
    r", \qquad \text{{for every }} {}", r" \quad\text{{whenever }} {}", r" \quad \forall {}",
    r"\quad\text{{for all ${}$}}", r", \;\; {},",
)  # fmt: skip


def condition(chance: random.Random, narrow: bool = False) -> Written | None:
    target = some(chance, VARYING)
    said = ranges(target, narrow, chance)
    if not said:
        return None
    few = chance.sample(said, chance.randint(1, min(2, len(said))))
    words = r" \text{ and } " if chance.random() < 0.5 else ", "
    beside = chance.choice(AROUND_CONDITION).format(words.join(few))
    return Written("", target.directive(), stated(target) + beside)


def narrower(chance: random.Random) -> Written | None:
    return condition(chance, narrow=True)


def sorts(chance: random.Random) -> Written | None:
    """What sort of numbers the letters are; two of one range at once."""
    target = some(chance, VARYING)
    there = target.derived.free_symbols
    whole = [s for s, r in target.meant.domain.ranges.items() if r.integer and s in there]
    if not whole:
        return None
    s = tex(sym(whole[0]))
    both = ", ".join(tex(sym(x)) for x in whole)
    lows = [target.meant.domain.ranges[x].low for x in whole]
    if not all(low.is_Integer for low in lows):
        return None
    k = max(int(low) for low in lows)
    beside = chance.choice([
        rf",\quad \text{{for integers }} {both} \ge {k}",
        rf"\quad \text{{for all }} {both} \ge {k}",
        rf",\qquad {both} \ge {k}", rf"\quad\text{{for all integers }} {s} \ge {k}",
        rf",\quad {both} \in \mathbb{{N}},\ {both} \ge {k}",
        rf",\quad {both} \in \{{{k}, {k + 1}, \dots\}}",
    ])  # fmt: skip
    return Written("", target.directive(), stated(target) + beside)


# --- thresholds -----------------------------------------------------------------------------
_TURNED = {">": "<", "<": ">", ">=": r"\le", "<=": r"\ge"}
_SIGN = {">": ">", "<": "<", ">=": r"\ge", "<=": r"\le"}


def bounds(chance: random.Random) -> Written | None:
    """A threshold as the condition that it is."""
    target = some(chance, THRESHOLDS)
    assert target.bound is not None
    s, relation = target.bound
    if target.meant.derived[0].has(s):
        return None
    node = form(target, chance)
    if not states(node, target, chance):
        return None
    name, a, sign = tex(sym(s)), tex(node, style(chance)), _SIGN[relation]
    r = target.meant.result.domain.ranges[s]
    choices = [rf"{name} {sign} {a}", rf"{a} {_TURNED[relation]} {name}",
               rf"{name} - {tex(add(node))} {sign} 0" if node.kind != "sum" else
               rf"{name} - \left({a}\right) {sign} 0"]  # fmt: skip
    if r"\lim" not in target.symbol and not target.values:
        define = chance.choice(["=", ":=", r"\coloneqq"])
        choices.append(rf"{name} {sign} {target.symbol} {define} {a}")
    if relation[0] == ">":
        left_ = "[" if relation == ">=" else "("
        end = r"\infty)" if r.high == oo else f"{r.high}" + ("])"[r.high_open])
        choices.append(rf"{name} \in \left{left_}{a}, {end[:-1]}\right{end[-1]}")
        if r.high != oo:
            choices.append(rf"{a} {_TURNED[relation]} {name} \le {r.high}")
            choices.append(rf"{name} {sign} {a}, \qquad {name} \le {r.high}")
    elif r.low == 0:
        right = "]" if relation == "<=" else ")"
        left_, less = ("(", "<") if r.low_open else ("[", r"\le")
        choices += [rf"{name} \in \left{left_}0, {a}\right{right}", rf"0 {less} {name} {sign} {a}"]
    node = printed(together(target.derived)) if target.derived.count_ops() < LARGE else node
    if node.kind == "frac" and target.id == "supcl-threshold":
        above, below = node.parts
        product = mul(sym(s), below)
        if _positive(below, target, chance):
            choices.append(f"{tex(product)} {sign} {tex(above)}")
    return Written("", target.directive(), chance.choice(choices))


def _positive(node: Node, target: Target, chance: random.Random) -> bool:
    from .printed import value
    from .targets import plain

    return all(value(node, plain(p)) > 0 for p in points(target, chance, 8))


def multiplied(chance: random.Random) -> Written | None:
    """An equation with the quantity in it: name times denominator is numerator."""
    target = chance.choice([t for t in VARYING if r"\lim" not in t.symbol and "[" not in t.symbol
                            and r"\top" not in t.symbol])  # fmt: skip
    node = printed(together(target.derived))
    if node.kind != "frac":
        return None
    above, below = node.parts
    name = letter(target.symbol, above)
    source = chance.choice([
        f"{tex(mul(below, name))} = {tex(above)}", f"{tex(above)} = {tex(mul(name, below))}",
        f"{target.symbol} - {tex(node)} = 0",
    ])  # fmt: skip
    return Written("", target.directive(), source)


# --- limits ---------------------------------------------------------------------------------
LIMITS = Targets(lambda: (t for t in FORMULAS if t.symbol.startswith(r"\lim")))


def limit(chance: random.Random) -> Written | None:
    target = chance.choice(LIMITS)
    found = re.fullmatch(r"\\lim_\{(\w|\\\w+?)\\to\s*([^{}]+)\}(.*)", target.symbol)
    assert found is not None
    s, point, name = found.groups()
    a = tex(form(target, chance), style(chance))
    at = rf"{point}^+" if point == "0" and chance.random() < 0.3 else point
    source = chance.choice([
        rf"\lim_{{{s} \to {at}}} {name} = {a}", rf"\lim_{{{s} \rightarrow {at}}} {name} = {a}",
        rf"{name} \to {a} \quad \text{{as }} {s} \to {at}",
        rf"{name} \to {a} \qquad ({s} \to {at})", rf"{name} \xrightarrow{{{s} \to {at}}} {a}",
        rf"\lim_{{{s}\to {at}}} {name} = {a} .", rf"\lim\limits_{{{s}\to {at}}} {name} = {a}",
        rf"\underset{{{s}\to {at}}}{{\lim}}\, {name} = {a}",
        rf"{name} \longrightarrow {a}, \quad {s} \to {at}",
    ])  # fmt: skip
    base = target.name.rsplit("_", 2)[0]
    value = {r"\infty": "oo"}.get(point)
    if value and chance.random() < 0.4 and Target(target.id, base) in TARGETS:
        return Written("", f"{target.id}.{base} ({s.lstrip(chr(92))} = oo)", source)
    return Written("", target.directive(), source)


INNER = Targets(lambda: (t for t in FORMULAS if r"\top" in t.symbol and t not in LIMITS))


def products(chance: random.Random) -> Written | None:
    target = chance.choice(INNER)
    name = chance.choice([target.symbol, *inner(target.symbol)])
    beside = ""
    if "_j" in name or "u_j" in name:
        beside = chance.choice(["", r" \quad (i \ne j)", r", \qquad i \neq j",
                                r" \quad \text{for all } i \ne j",
                                r"\quad \forall\, i \ne j"])  # fmt: skip
    elif "_i" in name:
        beside = chance.choice(["", r" \quad \text{for all } i", r" \quad \forall\, i",
                                r",\quad i = 1, \dots, N"])  # fmt: skip
    node = form(target, chance)
    if not states(node, target, chance):
        return None
    return Written("", target.directive(), f"{name} = {tex(node, style(chance))}{beside}")


def removable(chance: random.Random, words: str = "allow-removable") -> Written | None:
    """A formula with a gap where it has a limit, and a directive that allows it."""
    target = chance.choice(VARYING)
    node = printed(target.derived)
    if target.derived.has(Max):
        return None  # it may vanish on a whole part of the domain
    if chance.random() < 0.4:  # the quantity vanishes, and it is divided by there
        above, below = node.parts if node.kind == "frac" else (node, num(1))
        node = frac(num(1), frac(below, above))
    else:
        x = sym(symbol_of(target, chance))
        k = num(chance.randint(2, 5))
        gap = add(x, k, signs="+-")
        extra = frac(add(power(x, num(2)), power(k, num(2)), signs="+-"), mul(gap, add(x, k)))
        node = mul(node, chance.choice([frac(gap, gap), extra]))
    if not has_gap(node, target):
        return None
    return Written("", target.directive(words=words), f"{target.symbol} = {tex(node)}")


def cancelling(chance: random.Random) -> Written | None:
    """Large terms that cancel."""
    target = chance.choice(VARYING)
    s = symbol_of(target, chance)
    k = chance.choice([2, 20, 500])
    x = tex(sym(s))
    one = rf"\left(e^{{{k}{x}}}+1\right)^2 - e^{{{2 * k}{x}}} - 2e^{{{k}{x}}}"
    name, a = target.symbol, tex(printed(target.derived))
    source = chance.choice([rf"{name} = \left({a}\right)\left({one}\right)",
                            rf"{name} = {a} + {one} - 1"])  # fmt: skip
    return Written("", target.directive(), source)


#: Kind -> how many, and how they are made.
KINDS: dict[str, tuple[int, Maker]] = {
    "true/algebra": (320, algebra),
    "true/definition": (80, definition),
    "true/equivalence": (24, equivalence),
    "true/declared": (60, declared),
    "true/pieces": (60, pieces),
    "true/around": (120, around),
    "true/chain": (80, chains),
    "true/two": (30, two),
    "true/cases": (12, cased),
    "true/condition": (100, condition),
    "true/narrower": (60, narrower),
    "true/sort": (40, sorts),
    "true/bound": (100, bounds),
    "true/multiplied": (40, multiplied),
    "true/limit": (60, limit),
    "true/product": (60, products),
    "true/removable": (60, removable),
    "true/cancelling": (12, cancelling),
}
