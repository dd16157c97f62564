"""Text as sentences by Unicode's rules (UAX #29), without losing a character."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unicode_segmentation_rs import unicode_sentences, unicode_words

_WRAPPED = re.compile(r"\n(?<=[^\n]{40}\n)(?=\w)")
"""The end of a line that goes on in the next one: 40 characters or more before it, a word behind it."""
_LEAST_WORDS, _SURELY = 2, 24
"""The words that a sentence has at least, and the characters from which on it is taken to have them."""


def sentences_of(text: str) -> list[str]:
    """Return the sentences of `text` in order, each with the space behind it; joined they are `text`.

    Lines that an editor wrapped are one sentence. What has fewer than two words, such as "Dr.", belongs to what
    follows it. Raises UnicodeEncodeError for half a surrogate pair.

    >>> sentences_of("It works. Does it? Dr. Who says so.")
    ['It works. ', 'Does it? ', 'Dr. Who says so.']
    """
    return list(_joined(_whole(text)))


def words_of(text: str) -> list[str]:
    """Return the words of `text` by Unicode's rules, in lower case.

    >>> words_of("Don't panic: 42!")
    ["don't", 'panic', '42']
    """
    words: list[str] = unicode_words(text.lower())
    return words


def _whole(text: str) -> Iterator[str]:
    """Yield the sentences of `text` with what stands between them, which the library leaves out."""
    unwrapped = _WRAPPED.sub(" ", text)
    begun = end = 0
    for sentence in unicode_sentences(unwrapped):
        place = unwrapped.index(sentence, end)
        if place > end:
            yield text[begun:place]
            begun = place
        elif end:
            yield text[begun:end]
            begun = end
        end = place + len(sentence)
    if text:
        yield text[begun:]


def _joined(sentences: Iterator[str]) -> Iterator[str]:
    held = ""
    for sentence in sentences:
        held += sentence
        if len(held) >= _SURELY or len(words_of(held)) >= _LEAST_WORDS:
            yield held
            held = ""
    if held:
        yield held
