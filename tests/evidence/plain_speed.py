"""How fast two trees of this program play the plain engine: `python -m tests.evidence.plain_speed OLD [NEW]`.

OLD and NEW are their folders, NEW the one that stands around this file unless it is said. Requests like conversations
come to twenty replicas, half busy, and each tree's engine plays them in turn with the other's, by the processor's
seconds: the better of several in each program, the median over programs. What was compiled before is taken as it is.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from tests.evidence.common import say

ROUNDS = 7
PLAYED = """
import time
import numpy as np
from fleettui.simulation import kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, prepare

count, rng = 200_000, np.random.default_rng(3)
prompt = np.minimum(rng.lognormal(6.9, 1.0, count), 14_000).astype(np.int32) + 1
output = np.minimum(rng.lognormal(5.0, 0.8, count), 2_000).astype(np.int32) + 1
draws = Draws(
    prompt=prompt, cached=np.zeros(count, np.int32), output=output, pool=np.zeros(count, np.int32),
    tie=rng.random(count), arrivals=np.cumsum(rng.exponential(1 / 150.0, count)), thinking=np.zeros(0),
)
engine = Engine(
    base=0.0065, per_context=4e-8, per_prompt=29.5e-6, budget=8192, places=256, blocks=60_000, watermark=600,
    replicas=20, router="ROUTER",
)
found = []
for _ in range(6):
    state = prepare([engine], draws)
    start = time.process_time()
    kernel.run(state, 0, count, True)
    found.append(time.process_time() - start)
print(min(found[1:]), float(state.requests["finish"].sum()).hex())
"""


def played(tree: str, router: str) -> tuple[float, str]:
    """Return the seconds in which a tree's engine plays the requests, and the sum of when they were served."""
    told = subprocess.run(
        [sys.executable, "-c", PLAYED.replace("ROUTER", router)],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": tree},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout.split()
    return float(told[0]), told[1]


def main(trees: list[str]) -> None:
    """Tell the seconds of both trees, and their ratio."""
    old, new = [str(Path(tree).resolve()) for tree in [*trees, str(Path(__file__).parents[2])]][:2]
    for router in ("least-loaded", "round-robin"):
        runs = [(played(old, router), played(new, router)) for _ in range(ROUNDS)]
        before, now = (statistics.median(pair[place][0] for pair in runs) for place in (0, 1))
        ratios = sorted(pair[1][0] / pair[0][0] for pair in runs)
        same = "the same to the bit" if len({one[1] for pair in runs for one in pair}) == 1 else "not the same"
        say(
            f"{router}: {before:.3f} s before, {now:.3f} s now; pairs {ratios[0]:.3f} to {ratios[-1]:.3f}, "
            f"median {statistics.median(ratios):.3f}; {same}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
