"""MLPerf Inference v5.1 asked as questions: is the count that ran in the range of GPUs?

`python -m tests.evidence.mlperf` prints the results of Server and Interactive scenarios below, rates that so many GPUs
served within limits on P99 TTFT and TPOT. Asked is that rate at those limits by formula, at 99 % of the replicas' time
and without a front end, since the load generator hands over token ids in the process; printed are the answer's GPUs
with the range that the band of its speeds allows, at each level of tuning. Parallelism is searched where that of the
submission is not known.

Rates and output tokens are those of the runs' own logs, mlperf_log_summary.txt under
github.com/mlcommons/inference_results_v5.1/closed (Apache-2.0). Llama-2-70B: outputs by percentile are the log's
latencies over its time per output token, prompts are taken as 300 tokens (no mean is published, at most 1,024).
Llama-3.1-405B: prompts of 9,429 tokens (mlcommons.org/2025/04/llm-inference-v5). Llama-3.1-8B: prompts of 871
(mlcommons.org/2025/09/small-llm-inference-5-1). Both are taken as all alike. Left out are the Offline results, which
have no limit, and Mixtral-8x7B, whose prompts have no published mean.

Submissions of TensorRT-LLM fuse norms, activations, quantizing and all-reduces into products (gemm_swiglu_plugin,
norm_quant_fusion, gemm_allreduce_plugin), and all take the likeliest token: `--tuning benchmark` has both. Products
were measured with the quantizing of what they multiply, which is taken from them there: of Llama-2-70B in nvfp4 on B200
it is 2 % of gate and up, 8 to 11 of the others.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

from fleettui.domain.demand import Demand
from fleettui.domain.dtype import Dtype
from fleettui.domain.hardware import TUNINGS, Tuning
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.task_context import Context
from fleettui.planning.tasks.plan import run
from tests.evidence import common

Percentiles = tuple[tuple[float, float], ...]
BUSY = 0.99
"""Share of their time that replicas may be busy: a submission drives them as far as its limits allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A model of the suite: tokens by percentile, and the limits in seconds of its two scenarios."""

    model: str
    prompt: Percentiles
    output: Percentiles
    server: tuple[float, float]
    interactive: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A submission: requests per second that `gpus` of a kind completed within the limits, and its engine."""

    where: str
    task: Task
    gpu: str
    gpus: int
    rate: float
    dtype: Dtype = "fp8"
    engine: str = "trtllm"
    tp: tuple[int, ...] = ()
    is_interactive: bool = False

    @property
    def name(self) -> str:
        """What it is called in a table."""
        scenario = "interactive" if self.is_interactive else "server"
        return f"{self.task.model} {self.dtype} {self.gpu} {self.engine} {scenario}"


LLAMA_2 = Task(
    model="llama-2-70b",
    prompt=common.alike(300.0),
    output=((0.5, 250.0), (0.9, 522.0), (0.95, 645.0), (0.97, 751.0), (0.99, 961.0)),
    server=(2.0, 0.2),
    interactive=(0.45, 0.04),
)
LLAMA_405B = Task(model="llama-3.1-405b", prompt=common.alike(9429.0), output=common.alike(656.0), server=(6.0, 0.175))
LLAMA_8B = Task(model="llama-3.1-8b", prompt=common.alike(871.0), output=common.alike(129.0), server=(2.0, 0.1))

H100, H200, B200, L40S = "h100", "h200", "b200", "l40s"
FP4: Dtype = "nvfp4"
RESULTS = (
    Result(where="Nebius H200-SXM-141GBx8_TRT", task=LLAMA_2, gpu=H200, gpus=8, rate=115.59, tp=(1,)),
    Result(where="Nebius H200-SXM-141GBx8_TRT", task=LLAMA_2, gpu=H200, gpus=8, rate=79.16, is_interactive=True),
    Result(where="Cisco HGX-H100_H100-SXM-80GBx16_TRT", task=LLAMA_2, gpu=H100, gpus=16, rate=208.63),
    Result(where="Nebius B200-SXM-180GBx8_TRT", task=LLAMA_2, gpu=B200, gpus=8, rate=370.39, dtype=FP4, tp=(1,)),
    Result(
        where="Nebius B200-SXM-180GBx8_TRT", task=LLAMA_2, gpu=B200, gpus=8, rate=217.36, dtype=FP4, is_interactive=True
    ),
    Result(where="Nebius H200-SXM-141GBx8_TRT", task=LLAMA_405B, gpu=H200, gpus=8, rate=0.45),
    Result(where="Cisco HGX-H100_H100-SXM-80GBx16_TRT", task=LLAMA_405B, gpu=H100, gpus=16, rate=0.90),
    Result(where="Nebius B200-SXM-180GBx8_TRT", task=LLAMA_405B, gpu=B200, gpus=8, rate=1.95, dtype=FP4),
    Result(where="Cisco C885_H200x8_TRT", task=LLAMA_8B, gpu=H200, gpus=8, rate=320.08),
    Result(where="Dell XE9680L_B200_SXM_180GBx8_TRT", task=LLAMA_8B, gpu=B200, gpus=8, rate=998.43, dtype=FP4, tp=(1,)),
    Result(where="RedHat XE8640_4xH100_vLLM", task=LLAMA_8B, gpu=H100, gpus=1, rate=39.56, engine="vllm"),
    Result(where="RedHat IBM_Cloud_gx3-48x240x2l40s_vLLM", task=LLAMA_8B, gpu=L40S, gpus=2, rate=9.36, engine="vllm"),
)


def question(result: Result, tuning: Tuning) -> Question:
    """Return a result as a question at a level of tuning."""
    ttft, tpot = result.task.interactive if result.is_interactive else result.task.server
    return Question(
        prompt=result.task.prompt,
        output=result.task.output,
        demand=Demand(form="rate", rate=result.rate),
        slo=Slo(ttft=ttft, tpot=tpot),
        model=result.task.model,
        dtype=result.dtype,
        engine=result.engine,
        tuning=tuning,
        prompt_steps="mixed",
        step_law="kernels",
        front_end=0.0,
        api_token=0.0,
        tp=result.tp,
        gpus=(result.gpu,),
        prices=((result.gpu, 1.0),),
        pools=(1,),
        max_utilization=BUSY,
        verify=False,
    )


def answer(result: Result, tuning: Tuning) -> Candidate | None:
    """Return the fleet of fewest GPUs that the formula answers with, None where none holds the limits."""
    return run(Context(), question=question(result, tuning)).answer.answer


def holds(found: Candidate | None, gpus: int) -> bool:
    """Return whether an answer's range has a count of GPUs in it; an end that no fleet reaches is open."""
    if found is None:
        return False
    low, high = found.gpus_range
    return (low or 0) <= gpus and (high is None or gpus <= high)


def main(words: list[str] | None = None) -> int:
    """Print every result; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evidence.mlperf",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(words)
    found = {(result, tuning): answer(result, tuning) for result in RESULTS for tuning in TUNINGS}
    rows = [
        (result.name, str(result.gpus), *(_told(found[result, one], result) for one in TUNINGS)) for result in RESULTS
    ]
    common.show("GPUs asked for, and those within the error of the speeds", ("result", "GPUs", *TUNINGS), rows)
    for one in TUNINGS:
        inside = sum(holds(found[result, one], result.gpus) for result in RESULTS)
        common.say(f"{one}: the range of {inside} of {len(RESULTS)} has the count that ran")
    return 0


def _told(found: Candidate | None, result: Result) -> str:
    if found is None:
        return "none"
    low, high = found.gpus_range
    (pool,) = found.fleet.pools
    inside = "in" if holds(found, result.gpus) else "out"
    return f"{found.gpus} ({low or '-'}-{high or '-'}) tp{pool.tp} {inside}"


if __name__ == "__main__":
    sys.exit(main())
