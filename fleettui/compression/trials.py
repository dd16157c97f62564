"""Prompts put to the compressor one after the other, timed and scored."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fleettui.compression.compressor import Part, compress
from fleettui.compression.fidelity import fidelity
from fleettui.compression.generate import GENRES, prompt
from fleettui.compression.prompts import Asked, Line, asked_of
from fleettui.compression.settings import Settings
from fleettui.compression.tokens import TokenCounter
from fleettui.domain.borderline import Band
from fleettui.domain.compression_trial import DIGESTS, Trials, Tried


@dataclass(slots=True, kw_only=True)
class Bench:
    """Where prompts are tried: a band, a counter, settings, and what has come of them until now."""

    band: Band
    counter: TokenCounter
    settings: Settings
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
                self.put(found)
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
            made = prompt(genre, max(int((total - output) * rate[genre]), 1), seed * of + number)
            self._sign(made.text.encode())
            self.put(Asked((Part(made.text),), output))
            told()

    def put(self, asked: Asked) -> None:
        """Try one prompt, if it is borderline."""
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

    def _sign(self, data: bytes) -> None:
        self.digest = (self.digest + int.from_bytes(hashlib.sha256(data.strip()).digest())) % DIGESTS
