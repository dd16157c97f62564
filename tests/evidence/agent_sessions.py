"""The shipped workload agent-sessions, made from its law: `python -m tests.evidence.agent_sessions FOLDER [--check]`.

A session has four rounds of planning and one that answers. The tokens that each round adds to the prompt, and puts out,
are those of Frontier's two templates (appendix B, Table 7); each is multiplied by a lognormal factor of mean 1. Three
sessions in four are of the short template. Between rounds a tool runs for an exponential time whose 95th percentile is
200 ms (Table 3 there).
"""

from __future__ import annotations

import csv
import io
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fleettui.domain.workload import Origin
from fleettui.workloads import library
from fleettui.workloads.build import build_workload
from fleettui.workloads.sessions import record_of

NAME = "agent-sessions"
SHORT = ((4096, 96), (1024, 64), (512, 64), (512, 64), (256, 192))
HEAVY = ((32768, 96), (16384, 64), (8192, 64), (4096, 64), (256, 192))
SESSIONS, SHARE_SHORT, SIGMA, TOOL_P95, SEED = 400, 0.75, 0.3, 0.2, 1
ORIGIN = Origin(
    source="Frontier: Towards Comprehensive and Accurate LLM Inference Simulation, Table 7 (tool time: Table 3)",
    url="https://arxiv.org/abs/2605.21312",
    licence="Apache-2.0",
    attribution="made up by this project from the tokens per round that Frontier states; no trace of real users",
    derivation="python -m tests.evidence.agent_sessions cdfs: 400 sessions, 3 in 4 of the short template, each count of"
    " tokens times a lognormal factor of mean 1 and sigma 0.3, exponential tool times with a P95 of 200 ms, seed 1;"
    " then as by fleettui workload build TRACE -o cdfs/agent-sessions.json --name agent-sessions",
)


def rows() -> Iterator[tuple[int, int, int, str]]:
    """Yield (session, prompt, output, seconds before it) of each round."""
    draws = np.random.default_rng(SEED)
    for session in range(SESSIONS):
        template = SHORT if draws.random() < SHARE_SHORT else HEAVY
        held = 0
        for place, tokens in enumerate(template):
            factors = draws.lognormal(-(SIGMA**2) / 2.0, SIGMA, 2)
            new, output = (max(1, round(float(count * factor))) for count, factor in zip(tokens, factors, strict=True))
            tool = float(draws.exponential(TOOL_P95 / math.log(20.0)))
            yield session, held + new, output, f"{tool:.3f}" if place else ""
            held += new + output


def files(folder: Path) -> dict[Path, str]:
    """Return the text of each file that is shipped, made by way of the trace that a user would have."""
    trace = folder / f"{NAME}.csv"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("session_id", "input_tokens", "output_tokens", "think_s"))
    writer.writerows(rows())
    trace.write_text(text.getvalue(), encoding="utf-8")
    try:
        workload, record = build_workload([str(trace)], name=NAME, origin=ORIGIN), record_of(trace)
    finally:
        trace.unlink()
    assert record is not None, "its rows have sessions"
    told = {key: getattr(ORIGIN, key) for key in ("source", "url", "licence", "attribution", "derivation")}
    return {
        folder / f"{NAME}.json": library.dump(workload),
        folder / "sessions" / f"{NAME}.json": library.dump_sessions(record, NAME, told),
    }


def main(folder: Path, *, check: bool) -> int:
    """Write the files, or return how many of those that are there differ."""
    differ = 0
    for path, text in files(folder).items():
        if check:
            differ += path.read_text(encoding="utf-8") != text
        else:
            path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path}: {len(text):,} letters{', differs' * (check and differ > 0)}\n")
    return differ


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), check="--check" in sys.argv))
