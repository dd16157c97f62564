"""What the requests of a trace share: the hashes of the blocks that their prompts begin with."""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain import checks


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixRecord:
    """Requests in the order of their trace, which comes at `rate` requests per second, None where it has no times.

    A row is (prompt, output tokens, first hash, how many follow it up, first hash, ...): runs of whole numbers, one
    for each full block of `block` tokens of the prompt, equal where that and all before it are.
    """

    block: int
    rows: tuple[tuple[int, ...], ...]
    rate: float | None = None

    def __post_init__(self) -> None:
        checks.positive("block", self.block)

    def in_blocks(self, size: int) -> PrefixRecord:
        """Return the record by the full blocks of so many tokens where it has smaller ones: the last hash of each."""
        if self.block >= size:
            return self
        each = size // self.block
        rows = []
        for prompt, output, *runs in self.rows:
            hashes = [
                one for first, count in zip(runs[::2], runs[1::2], strict=True) for one in range(first, first + count)
            ]
            rows.append((prompt, output, *(part for one in hashes[each - 1 :: each] for part in (one, 1))))
        return PrefixRecord(block=size, rows=tuple(rows), rate=self.rate)

    def within(self, tokens: int) -> PrefixRecord:
        """Return the record of the requests of at most so many total tokens."""
        rows = tuple(row for row in self.rows if row[0] + row[1] <= tokens)
        rate = None if self.rate is None else self.rate * len(rows) / max(len(self.rows), 1)
        return PrefixRecord(block=self.block, rows=rows, rate=rate)
