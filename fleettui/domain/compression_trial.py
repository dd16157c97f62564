"""What the compressor did with prompts, without their texts: lengths, seconds, scores and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

DIGESTS = 2**256
"""How many digests there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A borderline prompt: its tokens before and `kept`, its category, and why it stays whole, empty where it does not.

    `seconds` are processor time; `rouge_recall` and `cosine` are shares, of what is left against the whole prompt, and
    so is `bertscore`, None where it was not taken.
    """

    prompt: int
    output: int
    kept: int
    category: str
    reason: str = ""
    seconds: float
    rouge_recall: float = 1.0
    cosine: float = 1.0
    bertscore: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """Prompts that were looked at: `short` fit below the split, `beyond` are above the band, `tried` within it.

    `skipped` counts lines by why they are no prompt; `digest` is the sum of the SHA-256 digests of all lines, in
    hexadecimal: that of the parts of a file adds up to that of the file.
    """

    short: int = 0
    beyond: int = 0
    tried: tuple[Tried, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    digest: str = "0" * 64

    @classmethod
    def joined(cls, parts: Iterable[Trials]) -> Trials:
        """Return the trials of all parts together."""
        found = list(parts)
        skipped: dict[str, int] = {}
        for one in found:
            for why, count in one.skipped.items():
                skipped[why] = skipped.get(why, 0) + count
        digest = 0
        for one in found:
            digest = (digest + int(one.digest, 16)) % DIGESTS
        return cls(
            short=sum(one.short for one in found),
            beyond=sum(one.beyond for one in found),
            tried=tuple(trial for one in found for trial in one.tried),
            skipped=skipped,
            digest=f"{digest:064x}",
        )
