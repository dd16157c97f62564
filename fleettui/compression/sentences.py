"""Text as sentences by Unicode's rules (UAX #29), without losing a character.

Lines of ASCII go by the rules themselves, compiled; all others by the library, which knows every script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from unicode_segmentation_rs import unicode_sentences, unicode_words

from fleettui.compression.byte_kinds import Bytes, kinds_of
from fleettui.simulation.compiled import compiled, part

Places: TypeAlias = npt.NDArray[np.int64]
_WRAPPED = re.compile(r"\n(?<=[^\n]{40}\n)(?=\w)")
"""The end of a line that goes on in the next one: 40 characters or more before it, a word behind it."""
_LEAST_WORDS, _SURELY = 2, 24
"""The words that a sentence has at least, and the characters from which on it is taken to have them."""
_LOWER, _UPPER, _DIGIT, _OTHER, _GOES_ON, _CLOSE, _SPACE, _DOT, _CALL, _RETURN, _FEED = range(11)
"""Kinds of bytes: those that say something, then those that end neither sentence nor line, those that end sentences."""
_KINDS = kinds_of(
    {
        _LOWER: "abcdefghijklmnopqrstuvwxyz",
        _UPPER: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        _DIGIT: "0123456789",
        _DOT: ".",
        _CALL: "!?",
        _GOES_ON: ",-:;",
        _CLOSE: "\"'()[]{}",
        _SPACE: " \t\v\f",
        _RETURN: "\r",
        _FEED: "\n",
    },
    _OTHER,
)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of `text` in order, each with the space behind it; joined they are `text`.

    Lines that an editor wrapped are one sentence. What has neither letter nor digit belongs to what is before it; what
    has fewer than two words, such as "Dr.", to what follows it. Raises UnicodeEncodeError for half a surrogate pair.

    >>> sentences_of("It works. Does it? Dr. Who says so.")
    ['It works. ', 'Does it? ', 'Dr. Who says so.']
    """
    found, begun = [], 0
    for cut in _cuts(_WRAPPED.sub(" ", text)):
        if cut - begun >= _SURELY or len(words_of(text[begun:cut])) >= _LEAST_WORDS:
            found.append(text[begun:cut])
            begun = cut
    return [*found, text[begun:]] if text else found


def words_of(text: str) -> list[str]:
    """Return the words of `text` by Unicode's rules, in lower case.

    >>> words_of("Don't panic: 42!")
    ["don't", 'panic', '42']
    """
    words: list[str] = unicode_words(text.lower())
    return words


def _cuts(text: str) -> list[int]:
    """Return where sentences begin that say something, but for one at the start; none goes beyond a line."""
    if text.isascii():
        return [cut for cut in _cuts_of_ascii(text) if cut]
    found, begun = [], 0
    for is_ascii, lines in groupby(text.split("\n"), str.isascii):
        block = "\n".join(lines) + "\n"
        found += [begun + cut for cut in (_cuts_of_ascii(block) if is_ascii else _cuts_by_library(block))]
        begun += len(block)
    return [cut for cut in found if cut]


def _cuts_of_ascii(text: str) -> list[int]:
    data = np.frombuffer(text.encode(), np.uint8)
    found = np.empty(len(data) // 2 + 1, np.int64)
    return list(found[: _find_cuts(data, _KINDS, found)].tolist())


def _cuts_by_library(text: str) -> Iterator[int]:
    end = 0
    for sentence in unicode_sentences(text):
        place = text.index(sentence, end)
        yield place
        end = place + len(sentence)


@compiled
def _find_cuts(data: Bytes, kinds: Bytes, found: Places) -> int:
    """Write into `found` where sentences of ASCII begin that have a letter or a digit; return how many."""
    count, begun, at = 0, 0, 0
    says = False
    while at < len(data):
        kind = kinds[data[at]]
        ends = kind >= _RETURN
        if _DOT <= kind <= _CALL:
            behind = _behind(data, kinds, _behind(data, kinds, at + 1, _CLOSE), _SPACE)
            ends = _ends_sentence(data, kinds, at, behind)
            at = behind
        elif not ends:
            says = says or kind <= _DIGIT
            at += 1
        if ends:
            at = _behind_line_end(data, kinds, at)
        if ends or at == len(data):
            if says:
                found[count] = begun
                count += 1
            begun, says = at, False
    return count


@part
def _ends_sentence(data: Bytes, kinds: Bytes, at: int, behind: int) -> bool:
    """Return whether the mark `at` ends a sentence; `behind` is where its closing marks and spaces end."""
    if behind == len(data):
        return True
    follows = kinds[data[behind]]
    if kinds[data[at]] == _DOT:
        if behind == at + 1 and follows == _DIGIT:  # SB6
            return False
        if behind == at + 1 and follows == _UPPER and at > 0 and kinds[data[at - 1]] <= _UPPER:  # SB7
            return False
        ahead = behind
        while ahead < len(data) and _DIGIT <= kinds[data[ahead]] <= _SPACE:
            ahead += 1
        if ahead < len(data) and kinds[data[ahead]] == _LOWER:  # SB8
            return False
    return not (follows == _GOES_ON or _DOT <= follows <= _CALL)  # SB8a


@part
def _behind(data: Bytes, kinds: Bytes, at: int, kind: int) -> int:
    """Return where bytes of a kind end that begin `at` a place, if there are any."""
    while at < len(data) and kinds[data[at]] == kind:
        at += 1
    return at


@part
def _behind_line_end(data: Bytes, kinds: Bytes, at: int) -> int:
    """Return where a line end that stands `at` a place ends, if there is one."""
    if at < len(data) and kinds[data[at]] == _RETURN:
        at += 1
        return at + 1 if at < len(data) and kinds[data[at]] == _FEED else at
    return at + 1 if at < len(data) and kinds[data[at]] == _FEED else at
