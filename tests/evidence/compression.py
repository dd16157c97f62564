"""The compressor beside FleetOpt's Tables 4 and 7: `python -m tests.evidence.compression`, a minute of one core.

Generated prose is compressed at the three splits of the paper, one prompt after the other on one core, and what that
takes stands beside what the paper measured on an Intel Xeon Platinum 8568Y+. What is kept is told for a counter that
knows its tokens and for that by bytes, whose margin is cut from every prompt. Exits 1 where a figure is not met.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path

from fleettui.compression.compressor import Part
from fleettui.compression.generate import Genre, prompt
from fleettui.compression.prompts import Asked
from fleettui.compression.tokens import ByteCounter
from fleettui.compression.trials import Bench
from fleettui.domain.borderline import Band
from fleettui.domain.compression_trial import Tried
from fleettui.domain.compressor_settings import Settings
from tests.evidence.common import count, note, show, verdict

OUTPUT, GAMMA, MARGIN = 300, 1.5, ByteCounter().margin
TABLE_4 = {
    4096: ("azure", 0.078, 1.8, 4.2, 6.5),
    1536: ("lmsys", 0.046, 1.2, 3.1, 5.2),
    8192: ("agent", 0.112, 3.4, 6.2, 7.8),
}
"""By split: workload, borderline share, and milliseconds p50, p95 and p99 as printed."""
MOST = {1536: (2.0, None), 8192: (7.0, 15.0)}
"""Milliseconds p50 and p99 that are wished for."""
SHARES: tuple[tuple[Genre, float], ...] = (("prose", 1.0), ("rag", 1.0), ("code", 0.0))


def tried(genre: Genre, split: int, of: int, margin: float = MARGIN) -> list[Tried]:
    """Return what becomes of `of` prompts whose totals lie evenly over the band."""
    bench = Bench(band=Band(split=split, gamma=GAMMA), counter=ByteCounter(margin=margin), settings=Settings())
    rate = 20_000 / bench.counter.count(prompt(genre, 20_000, 1).text)
    for number in range(of):
        total = split * (1.01 + (GAMMA - 1.02) * (number + 0.5) / of)
        text = prompt(genre, int((total - OUTPUT) * rate), number).text
        bench.put(Asked((Part(text),), OUTPUT), lambda: None)
    return bench.tried


def at(values: Sequence[float], share: float) -> float:
    """Return the least of the values that `share` of them do not exceed."""
    return sorted(values)[max(ceil(share * len(values)) - 1, 0)]


def machine() -> str:
    """Return the processor's name, where the system tells it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def times(of: int) -> Iterator[tuple[str, bool]]:
    """Show what compressing takes; yield what is wished for and whether it is met."""
    rows = []
    for split, (workload, share, *printed) in TABLE_4.items():
        seconds = [1e3 * one.seconds for one in tried("prose", split, of)]
        own = [at(seconds, share) for share in (0.5, 0.95, 0.99)]
        each = share * sum(seconds) / len(seconds)
        pairs = zip(own, printed, strict=True)
        rows.append((workload, f"{split:,}", *(f"{ours:.1f} ({theirs:.1f})" for ours, theirs in pairs), f"{each:.2f}"))
        for name, ours, most in zip(("p50", "p99"), (own[0], own[2]), MOST.get(split, (None, None)), strict=True):
            if most is not None:
                yield f"prose at a split of {split:,}: {name} {ours:.2f} ms, at most {most:g}", ours <= most
    show(
        "milliseconds, as printed in brackets",
        ("workload", "split", "p50", "p95", "p99", "per request"),
        rows,
        f"on one core of {machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {of} prompts a row; per "
        "request: over all requests, by the paper's borderline share",
    )


def kept(of: int) -> Iterator[tuple[str, bool]]:
    """Show what is kept; yield what is wished for and whether it is met."""
    rows = []
    for words, margin in (("known tokens", 0.0), ("by bytes", MARGIN)):
        done = [one for one in tried("prose", 8192, of, margin) if not one.reason]
        few = [one for one in done if 1.0 - one.kept / one.prompt <= 0.3]
        for name, own in (("all", done), ("at most 30% less", few)):
            cut, recall, cosine = (
                sum(column) / len(own)
                for column in zip(
                    *((1.0 - one.kept / one.prompt, one.rouge_recall, one.cosine) for one in own), strict=True
                )
            )
            rows.append((words, name, str(len(own)), f"{cut:.1%}", f"{recall:.3f}", f"{cosine:.3f}"))
            if name != "all":
                yield f"{words}, {name}: mean TF-IDF cosine {cosine:.3f}, at least .95", cosine >= 0.95
                yield f"{words}, {name}: mean ROUGE-L recall {recall:.3f}, at least .80", recall >= 0.80
    show(
        "prose of 8,193 to 12,288 tokens",
        ("counter", "prompts", "count", "tokens cut", "ROUGE-L recall", "cosine"),
        rows,
        "the paper: 15.4% cut, .856 and .981 over 300 prompts of LMSYS-Chat-1M; what stays is in its old order, so "
        "that recall is the share of words that stay, about 1 less the share of tokens that go",
    )


def shares(of: int) -> Iterator[tuple[str, bool]]:
    """Yield which share of each genre compresses, and whether that is as wished for."""
    for genre, wished in SHARES:
        found = tried(genre, 8192, of)
        share = sum(not one.reason for one in found) / len(found)
        yield f"p_c of {len(found)} borderline prompts of {genre}: {share:.2f}, wished {wished:.2f}", share == wished


def main(arguments: Sequence[str] | None = None) -> int:
    """Show all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--prompts", type=count, default=300, help="how many of each kind (default 300)")
    of = parser.parse_args(arguments).prompts
    note("FleetOpt's Table 4 and Table 7 beside the compressor of fleettui, on prompts that it makes itself.")
    return verdict([*times(of), *kept(of), *shares(of)])


if __name__ == "__main__":
    sys.exit(main())
