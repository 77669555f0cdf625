"""Products of matrices and vectors of any size, and their traces, by letters.

A word is a product of letters: symmetric matrices, rectangular ones and their transposes, vectors
and theirs. What is proved of words holds for all sizes, since nothing is used but that

- a trace stays the same when a word is rotated, or transposed;
- ``x' W y`` is a number, the same as ``y' W' x``, and leaves its word as a factor.

So numbers that are made of the same letters have one name, and an identity of traces becomes one of
polynomials in these names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, S, Symbol, sympify

#: A letter with a prime is transposed.
PRIME = "'"
Word = tuple[str, ...]


@dataclass(frozen=True)
class Alphabet:
    """The letters that there are.

    Attributes
    ----------
    symmetric
        Square matrices that are their own transposes.
    vectors
        Columns.
    numbers
        What numbers are called: of the word ``x W y`` for ``x' W y``, and of the word of a trace.
    """

    symmetric: frozenset[str]
    vectors: frozenset[str]
    numbers: Mapping[Word, Expr]

    @classmethod
    def of(cls, symmetric: str, vectors: str, numbers: Mapping[str, object]) -> Alphabet:
        """Letters, and words, with spaces between them."""
        made = cls(frozenset(symmetric.split()), frozenset(vectors.split()), {})
        named = {made.canonical(tuple(w.split())): sympify(v) for w, v in numbers.items()}
        return cls(made.symmetric, made.vectors, named)

    def letter(self, name: str) -> Words:
        """A matrix or vector that is one letter."""
        return Words(self, {(name,): S.One})

    def letters(self, names: str) -> list[Words]:
        """Several of them."""
        return [self.letter(name) for name in names.split()]

    def is_row(self, letter: str) -> bool:
        """Whether it is a vector, transposed."""
        return letter[-1] == PRIME and letter[:-1] in self.vectors

    def turned(self, letter: str) -> str:
        """Its transpose."""
        if letter in self.symmetric:
            return letter
        return letter[:-1] if letter[-1] == PRIME else letter + PRIME

    def transposed(self, word: Sequence[str]) -> Word:
        """A product, transposed."""
        return tuple(self.turned(x) for x in reversed(word))

    def canonical(self, word: Word) -> Word:
        """One word for all that are the same number."""
        if word and word[0] in self.vectors:  # x' W y
            return min(word, (word[-1], *self.transposed(word[1:-1]), word[0]))
        both = (word, self.transposed(word))
        return min(w[k:] + w[:k] for w in both for k in range(max(len(w), 1)))

    def number(self, word: Word) -> Expr:
        """The name of a number."""
        word = self.canonical(word)
        if word in self.numbers:
            return self.numbers[word]
        return Symbol(f"<{' '.join(word)}>" if word[0] in self.vectors else f"tr({' '.join(word)})")

    def apart(self, word: Word) -> tuple[Expr, Word]:
        """The numbers in a word, multiplied, and what is left of it."""
        factor, left = S.One, list[str]()
        start: int | None = None
        for letter in word:
            left.append(letter)
            if self.is_row(letter):
                start = len(left) - 1
            elif letter in self.vectors and start is not None:
                factor *= self.number((left[start][:-1], *left[start + 1 :]))
                del left[start:]
                start = None
        return factor, tuple(left)


class Words:
    """A sum of products of letters, each with a coefficient."""

    def __init__(self, alphabet: Alphabet, terms: Mapping[Word, Expr]):
        self.alphabet = alphabet
        self.terms: dict[Word, Expr] = {}
        for word, coefficient in terms.items():
            factor, left = alphabet.apart(word)
            self.terms[left] = self.terms.get(left, S.Zero) + coefficient * factor

    def __add__(self, other: Words) -> Words:
        found = dict(self.terms)
        for word, coefficient in other.terms.items():
            found[word] = found.get(word, S.Zero) + coefficient
        return Words(self.alphabet, found)

    def __sub__(self, other: Words) -> Words:
        return self + -1 * other

    def __rmul__(self, factor: object) -> Words:
        by = sympify(factor)
        return Words(self.alphabet, {word: by * c for word, c in self.terms.items()})

    def __truediv__(self, by: object) -> Words:
        return (S.One / sympify(by)) * self

    def __matmul__(self, other: Words) -> Words:
        found: dict[Word, Expr] = {}
        for left, a in self.terms.items():
            for right, c in other.terms.items():
                found[left + right] = found.get(left + right, S.Zero) + a * c
        return Words(self.alphabet, found)

    @property
    def transposed(self) -> Words:
        """Each product, transposed."""
        turned = self.alphabet.transposed
        return Words(self.alphabet, {turned(word): c for word, c in self.terms.items()})

    @property
    def number(self) -> Expr:
        """The number that it is, where every product is one.

        Raises
        ------
        ValueError
            If a letter is left.
        """
        if any(self.terms):
            raise ValueError("this is no number")
        return self.terms.get((), S.Zero)

    @property
    def trace(self) -> Expr:
        """Its trace; of a number, that number."""
        return Add(*(c * self._trace(word) for word, c in self.terms.items()))

    def _trace(self, word: Word) -> Expr:
        alphabet = self.alphabet
        if not word:
            return S.One
        for k, letter in enumerate(word):
            if alphabet.is_row(letter):
                factor, left = alphabet.apart(word[k:] + word[:k])
                return factor * Words(alphabet, {left: S.One}).trace
        return alphabet.number(word)


def outer(x: Words) -> Words:
    """``x x'``."""
    return x @ x.transposed


def form(u: Words, a: Words) -> Expr:
    """``u' A u``; what holds of it for every ``u`` holds of a symmetric matrix."""
    return (u.transposed @ a @ u).number


def total(parts: Iterable[Words]) -> Words:
    """Their sum."""
    first, *rest = parts
    for part in rest:
        first = first + part
    return first
