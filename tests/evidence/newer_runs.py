"""The step law against newer closed loops, most of DeepSeek-R1: `python -m tests.evidence.newer_runs`.

`newer_runs.csv` has 398 that SemiAnalysisAI/InferenceX published (Apache-2.0; DeepSeek-R1 from the fixtures of its web
application, gpt-oss-120b from copies of its artifacts): lengths from .8 to 1 of those stated, no drafts, one node. Of
DeepSeek-R1 those of 2026 are here, of TensorRT-LLM on H200 the latest, of 2025, whose mean TTFT is below 5 s, which the
start of a server is part of elsewhere; those on B300, some of which take ten times as long as others, are left out.
The mean TTFT of those in fp8 on MI355X holds the start, too: repeated by others in March 2026 its P99 was 3 to 10 times
the mean, and what the mean leaves beside a first tenth of so long is 115 to 185 ms of a thousand tokens.
vLLM is 0.13 that plans a step ahead, as `vllm` here does. Caches are in the format of the recipes. Printed are the
errors by server, each run played. What an engine adds on B200 and for latent attention, and the factors of servers,
were fitted to these runs.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from fleettui.domain.validation import Comparison
from tests.evidence import common
from tests.evidence.accuracy import played

FILE = Path(__file__).with_suffix(".csv")
MOST_TPOT, MOST_TTFT, LEAST_IN_BAND = 0.08, 0.18, 0.9


def server(one: Comparison) -> str:
    """Return which server a run was of, without its number of GPUs."""
    point = one.point
    return f"{point.gpu} {point.engine} {point.model} {point.dtype}"


def figures(found: Sequence[Comparison]) -> tuple[float, float, float, float]:
    """Return the errors of TPOT, median and at 90 %, the median one of TTFT, and the share in the band."""
    tpot, ttft = (sorted(abs(getattr(one, name)) for one in found) for name in ("tpot_error", "ttft_error"))
    inside = sum(one.is_in_band for one in found) / len(found)
    return statistics.median(tpot), tpot[int(0.9 * len(tpot))], statistics.median(ttft), inside


def by_server(found: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """Return the runs of each server, by its name."""
    groups: dict[str, list[Comparison]] = {}
    for one in sorted(found, key=server):
        groups.setdefault(server(one), []).append(one)
    return groups


def main() -> int:
    """Print the errors of every server and of all; return 0 where those of all are within their bounds."""
    found = [one for one in played(FILE) if one.state == "unsaturated"]
    rows = [
        (name, str(len(own)), *(f"{share:.0%}" for share in figures(own)))
        for name, own in (*by_server(found).items(), ("all", found))
    ]
    common.show("newer closed loops", ("server", "runs", "TPOT", "90 %", "TTFT", "in band"), rows)
    tpot, _, ttft, inside = figures(found)
    return common.verdict(
        (
            (f"TPOT {tpot:.1%} off in the median, {MOST_TPOT:.0%} allowed", tpot <= MOST_TPOT),
            (f"TTFT {ttft:.1%} off in the median, {MOST_TTFT:.0%} allowed", ttft <= MOST_TTFT),
            (f"{inside:.0%} in their band, {LEAST_IN_BAND:.0%} wished for", inside >= LEAST_IN_BAND),
        )
    )


if __name__ == "__main__":
    sys.exit(main())
