"""The words of many texts at once, by Unicode's rules (UAX #29), each as a number: equal for equal words.

Those of texts in ASCII are found by the rules, compiled; those of others by the library. A word's number is a
polynomial of its bytes in lower case modulo 2^64, so that two words among ten thousand share one, and count as one,
with a chance below 10^-11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fleettui.compression.byte_kinds import Bytes, kinds_of
from fleettui.compression.sentences import words_of
from fleettui.simulation.compiled import compiled, part

Numbers: TypeAlias = npt.NDArray[np.uint64]
Places: TypeAlias = npt.NDArray[np.int64]
_LETTER, _DIGIT, _UNDERSCORE, _OUTSIDE, _MIDDLE, _MIDDLE_OF_LETTERS, _MIDDLE_OF_DIGITS = range(7)
"""Kinds of bytes: those of words, of which none is underscores alone; others; and those that may stand within one."""
_KINDS = kinds_of(
    {
        _LETTER: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        _DIGIT: "0123456789",
        _UNDERSCORE: "_",
        _MIDDLE: ".'",
        _MIDDLE_OF_LETTERS: ":",
        _MIDDLE_OF_DIGITS: ",;",
    },
    _OUTSIDE,
)
_LINES = kinds_of({_OUTSIDE: "\n"}, _LETTER)
_BASE, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_LOWERED = np.arange(1, 257, dtype=np.uint64)
_LOWERED[ord("A") : ord("Z") + 1] = _LOWERED[ord("a") : ord("z") + 1]
"""What each byte counts in the polynomial; a capital counts as its small letter."""


def words_in(texts: Sequence[str]) -> tuple[Numbers, Places]:
    """Return the number of each word of `texts` and which text it is of, both of shape (words,).

    >>> words_in(["Go on.", "On it goes"])[1]
    array([0, 0, 1, 1, 1])
    """
    if all(map(str.isascii, texts)):
        return _of_ascii(texts)
    parts = []
    for read, is_ascii in ((_of_ascii, True), (_by_library, False)):
        own = np.array([place for place, text in enumerate(texts) if text.isascii() is is_ascii], np.int64)
        numbers, rows = read([texts[place] for place in own])
        parts.append((numbers, own[rows]))
    return np.concatenate([numbers for numbers, _ in parts]), np.concatenate([rows for _, rows in parts])


def _of_ascii(texts: Sequence[str]) -> tuple[Numbers, Places]:
    return _read("".join(texts).encode(), texts, _KINDS)


def _by_library(texts: Sequence[str]) -> tuple[Numbers, Places]:
    """Return the words of any texts, which are put on lines of their own: no word has a line feed."""
    lines = ["\n".join([*words_of(text), ""]).encode() for text in texts]
    return _read(b"".join(lines), lines, _LINES)


def _read(data: bytes, parts: Sequence[str] | Sequence[bytes], kinds: Bytes) -> tuple[Numbers, Places]:
    """Return the words of `data`, which consists of `parts` one after the other."""
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    numbers, rows = np.empty(len(data) // 2 + len(parts), np.uint64), np.empty(len(data) // 2 + len(parts), np.int64)
    count = _find_words(np.frombuffer(data, np.uint8), ends, kinds, numbers, rows)
    return numbers[:count], rows[:count]


@compiled
def _find_words(data: Bytes, ends: Places, kinds: Bytes, numbers: Numbers, rows: Places) -> int:
    """Write the number of each word and the part of `data` that it is in, which end at `ends`; return how many."""
    count, at = 0, 0
    for row in range(len(ends)):
        while at < ends[row]:
            number, says, begun = np.uint64(0), False, at
            while at < ends[row] and (
                kinds[data[at]] <= _UNDERSCORE or (at > begun and at + 1 < ends[row] and _is_middle(data, at, kinds))
            ):
                number = number * _BASE + _LOWERED[data[at]]
                says = says or kinds[data[at]] <= _DIGIT
                at += 1
            if says:
                numbers[count], rows[count] = _mixed(number), row
                count += 1
            elif at == begun:
                at += 1
    return count


@part
def _is_middle(data: Bytes, at: int, kinds: Bytes) -> bool:
    """Return whether the byte `at` a place, between others, stands within a word: between two letters or digits."""
    kind, before, behind = kinds[data[at]], kinds[data[at - 1]], kinds[data[at + 1]]
    if before != behind or kind == _OUTSIDE:
        return False
    return bool((before == _LETTER and kind != _MIDDLE_OF_DIGITS) or (before == _DIGIT and kind != _MIDDLE_OF_LETTERS))


@part
def _mixed(number: np.uint64) -> np.uint64:
    """Return a number whose upper bits tell words apart as well as all of them do; no two become one."""
    for _ in range(2):
        number = (number ^ (number >> _HALF)) * _BASE
    return number
