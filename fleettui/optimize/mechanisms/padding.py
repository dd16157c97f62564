"""Decode steps padded to CUDA-graph bins: the tokens that are computed for each real one (Frontier, Tables 2 and 5).

Neither the rates of the printed runs nor their bins are said, but that 33 sequences ran as 64: bins are powers of two.
So ours has the least and the most over mean batches, of which the printed ones are some.
"""

from __future__ import annotations

from collections.abc import Callable

from fleettui.domain.graph_bins import bins
from fleettui.domain.plan import Estimate
from fleettui.optimize.bin_words import inflation
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row

POWERS, EVERY_EIGHT = "1,2,4,8,16,32,64,128,256", "1,2,4,8-256/8"
BATCHES = tuple(2.0 ** (step / 2.0) for step in range(2, 16))
"""Mean batches, 2 to 181: a decode replica's from nearly idle to full."""
TABLE_2 = {
    "co-located": {"2048/256": 0.226, "256/2048": 0.387, "512/512": 0.458, "1024/1024": 0.226},
    "prefill/decode": {"2048/256": 0.426, "256/2048": 0.425, "512/512": 0.572, "1024/1024": 0.400},
}
TABLE_5 = {
    "co-located": {"prefill-heavy": (294.8, 307.3), "decode-heavy": (294.8, 420.5), "SharedGPT": (69.6, 84.2)},
    "prefill/decode": {"prefill-heavy": (147.5, 150.1), "decode-heavy": (147.5, 167.9), "SharedGPT": (34.9, 42.9)},
}
"""Thousands of tokens without graphs and with them, as vLLM ran."""


def spread(ladder: str) -> Estimate:
    """Return the padded slots for a real token at the middle mean batch, with the least and the most over all."""
    found = [inflation(batch, bins(ladder)) for batch in BATCHES]
    return Estimate(value=found[len(found) // 2], low=min(found), high=max(found))


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return every printed inflation beside ours, and ours by mean batch and bins; nothing is drawn by the seed."""
    del seed
    tell("padding", 0, 1)
    ours = spread(POWERS)
    printed = {f"T2, {mode}, {shape}": share for mode, cells in TABLE_2.items() for shape, share in cells.items()}
    for mode, cells in TABLE_5.items():
        printed |= {f"T5, {mode}, {work}": with_them / plain - 1.0 for work, (plain, with_them) in cells.items()}
    found = [Row(name=name, printed=share, ours=ours, note=_within(share, ours)) for name, share in printed.items()]
    for words, ladder in (("powers of two", POWERS), ("by eight", EVERY_EIGHT)):
        for batch in BATCHES[1::4]:
            share = inflation(batch, bins(ladder))
            exact = Estimate(value=share, low=share, high=share)
            found.append(Row(name=f"{words}, mean batch {batch:.3g}", ours=exact, note="by formula"))
    found.append(Row(name="padded tokens of the same runs", note="of the paper's traces, rates and seeds, unpublished"))
    return found


def _within(share: float, ours: Estimate) -> str:
    assert ours.low is not None, "it was worked out"
    assert ours.high is not None, "it was worked out"
    place = "within" if ours.low <= share <= ours.high else "outside"
    return f"{place} ours, least and most over mean batches of 2 to 181: its rate is unsaid"


MECHANISM = Mechanism(
    title="FR T2",
    about="padded slots for each real token of decode steps (Tables 2 and 5), by formula; low and high: over all mean "
    "batches",
    rows=rows,
)
