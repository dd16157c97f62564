"""The compressor: a prompt cut to a budget of tokens, or the reason why it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from fleettui.compression.content import REFUSED, Category, Content, content_of
from fleettui.compression.scores import WordTable, scores
from fleettui.compression.sentences import sentences_of
from fleettui.compression.tokens import TokenCounter, valid_text
from fleettui.domain.compressor_settings import Settings

Reason = Literal["code", "json", "table", "log", "no room", "fixed parts"]
"""Why a prompt stays whole: what it is, no room beside its output, or that what must stay is over the budget."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a prompt; a `fixed` one, such as a system message, is kept whole."""

    text: str
    fixed: bool = False


Prompt = tuple[Part, ...]


class Piece(NamedTuple):
    """What is kept or left out as a whole: a sentence, or a `fixed` block, which stays."""

    text: str
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a prompt: its `pieces`, and which of them are `kept`, in their order.

    Without a `reason` it fits its budget: `tokens` is at most that. With one it is refused and kept whole.
    """

    category: Category
    pieces: tuple[Piece, ...]
    kept: tuple[int, ...]
    tokens: int
    reason: Reason | None = None

    @property
    def text(self) -> str:
        """The prompt as it is sent on."""
        return "".join(self.pieces[place].text for place in self.kept)


def compress(prompt: Prompt, budget: int, counter: TokenCounter, settings: Settings | None = None) -> Outcome:
    """Return `prompt` in at most `budget` tokens by `counter`, or why it stays as it is.

    A prompt that fits is kept whole, whatever it is. Otherwise the fixed blocks and the first and last sentences that
    `settings` say are kept, then sentences in the order of their scores while they fit; what is kept stands in the
    order in which it was. The result is counted as a whole: it is never over the budget. Halves of surrogate pairs
    become question marks.
    """
    settings = settings or Settings()
    prompt = tuple(Part(valid_text(part.text), part.fixed) for part in prompt)
    whole = "".join(part.text for part in prompt)
    content = content_of(whole)
    most = counter.at_most(whole)
    if most <= budget:
        return _kept_whole(content.category, whole, most, None)
    if budget < 1:
        return _kept_whole(content.category, whole, most, "no room")
    if content.category in REFUSED:
        return _kept_whole(content.category, whole, most, content.category)
    pieces = tuple(_pieces(prompt, content))
    found = _fitted(pieces, budget, counter, settings)
    if found is None:
        return _kept_whole(content.category, whole, most, "fixed parts")
    kept, tokens = found
    return Outcome(category=content.category, pieces=pieces, kept=kept, tokens=tokens)


def _kept_whole(category: Category, whole: str, tokens: int, reason: Reason | None) -> Outcome:
    return Outcome(category=category, pieces=(Piece(whole, True),), kept=(0,), tokens=tokens, reason=reason)


def _pieces(prompt: Prompt, content: Content) -> list[Piece]:
    """Return the pieces of `prompt`, whose whole text has this `content`."""
    found: list[Piece] = []
    for part in prompt:
        if part.fixed:
            found.append(Piece(part.text, True))
            continue
        for block in (content if len(prompt) == 1 else content_of(part.text)).blocks:
            if block.kind is None:
                found += [Piece(sentence, False) for sentence in sentences_of(block.text)]
            else:
                found.append(Piece(block.text, True))
    return found


def _fitted(
    pieces: Sequence[Piece], budget: int, counter: TokenCounter, settings: Settings
) -> tuple[tuple[int, ...], int] | None:
    """Return which pieces are kept and their tokens; None where those that must be kept do not fit."""
    texts = [piece.text for piece in pieces]
    sizes = counter.each(texts)
    always = _always(pieces, settings)
    used = sum(sizes[place] for place in always)
    if used > budget:
        return None
    order = np.argsort(-scores(WordTable.of_texts(texts), settings), kind="stable").tolist()
    chosen = []
    for place in order:
        if used + sizes[place] <= budget and place not in always:
            chosen.append(place)
            used += sizes[place]
    return _counted(pieces, always, chosen, budget, counter)


def _always(pieces: Sequence[Piece], settings: Settings) -> set[int]:
    free = [place for place, piece in enumerate(pieces) if not piece.fixed]
    ends = (*free[: settings.first], *free[max(len(free) - settings.last, 0) :])
    return {place for place, piece in enumerate(pieces) if piece.fixed}.union(ends)


def _counted(
    pieces: Sequence[Piece], always: set[int], chosen: list[int], budget: int, counter: TokenCounter
) -> tuple[tuple[int, ...], int] | None:
    """Return what is kept once it fits as a whole: of `chosen`, best first, the last are left out until it does."""
    while True:
        kept = tuple(sorted(always.union(chosen)))
        tokens = counter.at_most("".join(pieces[place].text for place in kept))
        if tokens <= budget:
            return kept, tokens
        if not chosen:
            return None
        del chosen[-max(1, min(len(chosen), (tokens - budget) // 8)) :]
