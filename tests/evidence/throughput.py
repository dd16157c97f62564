"""Published throughput of TensorRT-LLM at full load beside what the formulas say: on Blackwell, too.

`python -m tests.evidence.throughput` prints, per GPU, model and lengths, the output tokens a second of each GPU as
published, and the share of them that a replica completes by formula whose time is all taken, with the engine as it
comes. Lengths are alike and all requests come at once, so that contexts grow together: where outputs are much longer
than prompts the cache then runs over and work is lost, which the formula does not have.

Figures are those of NVIDIA/TensorRT-LLM, docs/source/developer-guide/perf-overview.md (1.2, Apache-2.0): trtllm-bench
throughput, the PyTorch backend, an fp8 cache, the likeliest token.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass

from fleettui.domain.demand import Demand
from fleettui.domain.dtype import Dtype
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from tests.evidence import common

BUSY = 0.995
"""Share of their time that replicas are busy at full load."""
GPUS = 1000
"""For so many the rate is that which was published, so that whole GPUs tell a part of a percent."""
LONG = 300.0  # seconds: no limit
EVEN, LATER, PROMPTS, PAGES = (1000, 1000), (1024, 8192), (8192, 1024), (32768, 1024)


@dataclass(frozen=True, slots=True)
class Served:
    """A model in a format on `tp` GPUs of a kind, and the output tokens/s of each by (prompt, output) tokens."""

    gpu: str
    model: str
    dtype: Dtype
    tp: int
    tokens: dict[tuple[int, int], int]


LLAMA, SMALL, OSS, QWEN = "llama-3.1-70b", "gpt-oss-20b", "gpt-oss-120b", "qwen3-30b-a3b"
PUBLISHED = (
    Served("b200", LLAMA, "nvfp4", 1, {EVEN: 6920, LATER: 3242, PROMPTS: 1362, PAGES: 274}),
    Served("gb200", LLAMA, "nvfp4", 1, {EVEN: 7769, LATER: 3805, PROMPTS: 1491, PAGES: 302}),
    Served("h200", LLAMA, "fp8", 2, {EVEN: 2587, LATER: 2009, PROMPTS: 537, PAGES: 120}),
    Served("h100", LLAMA, "fp8", 2, {EVEN: 2209, PROMPTS: 398}),
    Served("gb200", OSS, "mxfp4", 1, {EVEN: 27198, LATER: 14800, PROMPTS: 6835, PAGES: 1645}),
    Served("h200", OSS, "mxfp4", 1, {EVEN: 6868, LATER: 3543, PROMPTS: 1828, PAGES: 519}),
    Served("b200", SMALL, "mxfp4", 1, {EVEN: 53812, LATER: 34702, PROMPTS: 11904, PAGES: 2645}),
    Served("gb200", SMALL, "mxfp4", 1, {EVEN: 55823, LATER: 38100, PROMPTS: 12941, PAGES: 2905}),
    Served("h200", SMALL, "mxfp4", 1, {EVEN: 13858, LATER: 12743, PROMPTS: 4015, PAGES: 915}),
    Served("h100", SMALL, "mxfp4", 1, {EVEN: 11557, LATER: 8617, PROMPTS: 3366, PAGES: 785}),
    Served("b200", QWEN, "nvfp4", 1, {EVEN: 26971, LATER: 13497, PROMPTS: 5735, PAGES: 1265}),
    Served("gb200", QWEN, "nvfp4", 1, {EVEN: 22856, LATER: 14272, PROMPTS: 6201, PAGES: 1380}),
)
BLACKWELL = ("b200", "gb200")


def share(served: Served, lengths: tuple[int, int]) -> float:
    """Return what a replica completes by formula over what was published."""
    prompt, output = lengths
    question = Question(
        prompt=common.alike(prompt),
        output=common.alike(output),
        demand=Demand(form="rate", rate=GPUS * served.tokens[lengths] / output),
        slo=Slo(ttft=LONG, tpot=LONG),
        model=served.model,
        dtype=served.dtype,
        kv_dtype="fp8",
        engine="trtllm",
        prompt_steps="mixed",
        step_law="kernels",
        front_end=0.0,
        api_token=0.0,
        tp=(served.tp,),
        gpus=(served.gpu,),
        prices=((served.gpu, 1.0),),
        pools=(1,),
        max_utilization=BUSY,
        verify=False,
    )
    found = run(Context(), question=question).answer.answer
    assert found is not None, "nothing is asked of latencies"
    return GPUS / found.gpus


def main() -> int:
    """Print every figure beside the formulas' share of it, and by generation how far these are off."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    errors: dict[bool, list[float]] = {True: [], False: []}
    for served in PUBLISHED:
        shares = {lengths: share(served, lengths) for lengths in served.tokens}
        told = "   ".join(
            f"{lengths[0]}/{lengths[1]} {served.tokens[lengths]:,} x {one:.2f}" for lengths, one in shares.items()
        )
        sys.stdout.write(f"{served.gpu:6} {served.model:14} {told}\n")
        errors[served.gpu in BLACKWELL] += [abs(one - 1.0) for lengths, one in shares.items() if lengths != LATER]
    for blackwell, off in errors.items():
        name = "Blackwell" if blackwell else "Hopper"
        sys.stdout.write(f"{name}, without long outputs: {100 * statistics.median(off):.0f} % off in the median of ")
        sys.stdout.write(f"{len(off)}, {100 * max(off):.0f} at most\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
