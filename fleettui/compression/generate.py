"""Prompts made by a seeded grammar, for a first try and for tests: prose, passages with a question, code, both mixed.

Every word is written here, so what they make may be shipped. A document has words of its own, some far more often than
others, and sentences of 6 to 40 words, as real ones do; what it says means nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

Genre = Literal["prose", "rag", "code", "mixed"]
GENRES: tuple[Genre, ...] = get_args(Genre)


def _listed(words: str) -> list[str]:
    return words.split()


_NOUNS = _listed("""
harbour river engine letter garden winter market bridge captain island orchard village mountain library
teacher machine valley lantern forest station journey window kitchen doctor island merchant council railway shepherd
treaty province battery compass furnace glacier harvest inventor justice kingdom ledger magnet notebook observatory
parliament quarry reservoir satellite telescope university vineyard workshop archive budget campaign dialect
experiment fortress gallery hospital industry journal laboratory monument neighbour orchestra passenger question
republic scholar theatre voyage warehouse currency surface pressure signal method climate network pattern""")
_VERBS = _listed("""
reached carried found measured followed described opened replaced studied repaired remembered received
discussed crossed delivered recorded considered protected promised gathered explained observed divided improved
abandoned welcomed compared restored expected avoided""")
_ADJECTIVES = _listed("""
old quiet narrow bright careful distant early famous gentle heavy hidden honest large late local
modern northern patient rapid remote separate silent simple small steady strange sudden useful warm wooden""")
_ADVERBS = _listed("slowly often rarely carefully suddenly together again finally almost quietly everywhere usually")
_JOINS = ["and", "but", "while", "because", "although", "so that", "before", "after"]
_OPENINGS = ["In the end", "At first", "Years later", "By contrast", "For this reason", "In most cases", "Even so"]


@dataclass(frozen=True, slots=True)
class Made:
    """A made prompt and its genre."""

    genre: Genre
    text: str


def prompt(genre: Genre, length: int, seed: int) -> Made:
    """Return a prompt of about `length` characters, at most a sentence or a function longer, by `seed`.

    >>> prompt("prose", 100, 1) == prompt("prose", 100, 1)
    True
    """
    source = random.Random(f"{genre} {seed}")
    text = "".join(_until(_MAKERS[genre](source), length))
    return Made(genre, text + _ENDINGS[genre](source))


def _until(pieces: Iterator[str], length: int) -> Iterator[str]:
    made = 0
    while made < length:
        piece = next(pieces)
        made += len(piece)
        yield piece


class _Words:
    """Words of one document: few nouns and verbs very often, most of them rarely."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._nouns = source.sample(_NOUNS, 60)
        self._names = ["".join(source.choice(_SYLLABLES) for _ in range(3)).capitalize() for _ in range(12)]

    def noun(self) -> str:
        return self._nouns[int(len(self._nouns) * self._source.random() ** 2.5)]

    def thing(self) -> str:
        if self._source.random() < 0.15:
            return self._source.choice(self._names)
        article = self._source.choice(["the", "a", "every", "this", "their"])
        adjective = f"{self._source.choice(_ADJECTIVES)} " if self._source.random() < 0.4 else ""
        return f"{article} {adjective}{self.noun()}"

    def clause(self) -> str:
        ending = self._source.choice(["", f" {self._source.choice(_ADVERBS)}", f" near {self.thing()}"])
        return f"{self.thing()} {self._source.choice(_VERBS)} {self.thing()}{ending}"

    def sentence(self) -> str:
        told = self.clause()
        while self._source.random() < 0.45:
            told += f" {self._source.choice(_JOINS)} {self.clause()}"
        if self._source.random() < 0.2:
            told = f"{self._source.choice(_OPENINGS)}, {told}"
        return f"{told[0].upper()}{told[1:]}{'?' if self._source.random() < 0.04 else '.'} "


_SYLLABLES = _listed("ka ro mi ten sul var eno lis bra dor qui pal")


def _prose(source: random.Random) -> Iterator[str]:
    words = _Words(source)
    while True:
        yield from (words.sentence() for _ in range(source.randint(3, 9)))
        yield "\n\n"


def _rag(source: random.Random) -> Iterator[str]:
    yield "Answer the question with the passages below.\n\n"
    number = 0
    while True:
        number += 1
        paragraph = "".join(islice((one for one in _prose(source) if one.strip()), source.randint(5, 12)))
        yield f"[{number}] {paragraph.rstrip()}\n\n"


def _code(source: random.Random) -> Iterator[str]:
    yield "Find the fault in this module.\n\n```python\nimport math\n\n"
    while True:
        yield _function(source)


def _function(source: random.Random) -> str:
    one, other, name = source.sample(_NOUNS, 3)
    lines = [f"def {source.choice(_VERBS)}_{name}({one}, {other}=0):"]
    for _ in range(source.randint(2, 7)):
        value = source.choice(_NOUNS)
        lines += [
            f"    {value} = {one} * {source.randint(2, 99)} + math.sqrt({other})",
            f"    if {value} > {source.randint(2, 999)}:",
            f"        return {value} - {other}",
        ]
    return "\n".join([*lines, f"    return {one}", "", "", ""])


def _mixed(source: random.Random) -> Iterator[str]:
    prose = _prose(source)
    while True:
        yield from islice(prose, 40)
        yield f"\n\n```python\n{_function(source)}```\n\n"


def _question(source: random.Random) -> str:
    return f"\nQuestion: why is it said that {_Words(source).clause()}?\n"


def _closed(_: random.Random) -> str:
    return "```\n"


def _nothing(_: random.Random) -> str:
    return ""


_MAKERS: dict[Genre, Callable[[random.Random], Iterator[str]]] = {
    "prose": _prose,
    "rag": _rag,
    "code": _code,
    "mixed": _mixed,
}
_ENDINGS: dict[Genre, Callable[[random.Random], str]] = {
    "prose": _nothing,
    "rag": _question,
    "code": _closed,
    "mixed": _question,
}
