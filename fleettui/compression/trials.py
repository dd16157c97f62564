"""Prompts put to the compressor one after the other, timed and scored."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fleettui.compression.bert_score import BertScore
from fleettui.compression.compressor import Part, compress
from fleettui.compression.fidelity import fidelity
from fleettui.compression.generate import GENRES, Genre, Made, prompt
from fleettui.compression.prompts import Asked, Line, asked_of
from fleettui.compression.tokens import TokenCounter, valid_text
from fleettui.domain.borderline import Band
from fleettui.domain.compression_trial import DIGESTS, Trials, Tried
from fleettui.domain.compressor_settings import Settings

MOST_TRIES = 6
"""How often a made prompt that is not borderline is made again."""
_SURELY = 20.0
"""Tokens within the band that it is then aimed at."""


@dataclass(slots=True, kw_only=True)
class Bench:
    """Where prompts are tried: a band, a counter, settings, and what has come of them until now.

    `judge` scores the share `scored` of those that are compressed.
    """

    band: Band
    counter: TokenCounter
    settings: Settings
    judge: BertScore | None = None
    scored: float = 1.0
    short: int = 0
    beyond: int = 0
    tried: list[Tried] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    digest: int = 0

    def __post_init__(self) -> None:
        """Compress a prompt that is not counted, so that the first one finds the compressor warm."""
        compress((Part(prompt("prose", 4000, 0).text),), 500, self.counter, self.settings)

    def read(self, lines: Iterable[Line], output: int | None, told: Callable[[], None]) -> None:
        """Try the prompts of `lines`; `told` is called after each."""
        for line in lines:
            if line.data is not None:
                self._sign(line.data)
            found = asked_of(line, output)
            if isinstance(found, Asked):
                self.put(found, told)
            else:
                self.skipped[found] += 1
            told()

    def make(self, first: int, count: int, of: int, *, seed: int, output: int, told: Callable[[], None]) -> None:
        """Try `count` of `of` made prompts from number `first` on; `told` is called after each.

        Genres take turns, and totals lie evenly over the band, about as many tokens as they are made for.
        """
        rate = {genre: 20_000 / self.counter.count(prompt(genre, 20_000, seed).text) for genre in GENRES}
        for number in range(first, min(first + count, of)):
            genre = GENRES[number % len(GENRES)]
            total = self.band.split + (self.band.up_to - self.band.split) * (number + 0.5) / of
            made = self._made(genre, (total - output) * rate[genre], rate[genre], seed * of + number, output)
            self._sign(made.text.encode())
            self.put(Asked((Part(made.text),), output), told)
            told()

    def _made(self, genre: Genre, length: float, step: float, seed: int, output: int) -> Made:
        """Return a prompt of about `length` characters; one that is not borderline gets some more or fewer.

        A token has about `step` characters.
        """
        for _ in range(MOST_TRIES):
            made = prompt(genre, max(int(length), 1), seed)
            total = self.counter.count(made.text) + output
            if self.band.split < total <= self.band.up_to:
                break
            is_short = total <= self.band.split
            length += step * (self.band.split - total + _SURELY if is_short else self.band.up_to - total - _SURELY)
        return made

    def put(self, asked: Asked, told: Callable[[], None]) -> None:
        """Try one prompt, if it is borderline; `told` is called while it is scored."""
        whole = "".join(part.text for part in asked.prompt)
        tokens = self.counter.count(whole)
        if not self.band.holds(tokens, asked.output):
            if tokens + asked.output <= self.band.split:
                self.short += 1
            else:
                self.beyond += 1
            return
        begun = time.thread_time()
        found = compress(asked.prompt, self.band.budget(asked.output), self.counter, self.settings)
        seconds = time.thread_time() - begun
        left = fidelity(found)
        judged = self.judge if found.reason is None and self._is_chosen(whole) else None
        self.tried.append(
            Tried(
                prompt=tokens,
                output=asked.output,
                kept=self.counter.count(found.text) if found.reason is None else tokens,
                category=found.category,
                reason=found.reason or "",
                seconds=seconds,
                rouge_recall=left.rouge_recall,
                cosine=left.cosine,
                bertscore=None if judged is None else judged.f1(whole, found.text, told),
            )
        )

    def trials(self) -> Trials:
        """Return what has come of all prompts."""
        return Trials(
            short=self.short,
            beyond=self.beyond,
            tried=tuple(self.tried),
            skipped=dict(self.skipped),
            digest=f"{self.digest:064x}",
        )

    def _is_chosen(self, whole: str) -> bool:
        """Return whether a prompt is one of the share that is scored: by its digest, so that it always is or never."""
        digest = hashlib.sha256(valid_text(whole).encode()).digest()
        return int.from_bytes(digest[:8]) < self.scored * 2.0**64

    def _sign(self, data: bytes) -> None:
        self.digest = (self.digest + int.from_bytes(hashlib.sha256(data.strip()).digest())) % DIGESTS
