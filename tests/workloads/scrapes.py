"""Texts as vLLM prints them, filled with lengths and times of which the truth is known."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from fleettui.workloads import library

TTFT = (
    0.001,
    0.005,
    0.01,
    0.02,
    0.04,
    0.06,
    0.08,
    0.1,
    0.25,
    0.5,
    0.75,
    1,
    2.5,
    5,
    7.5,
    10,
    20,
    40,
    80,
    160,
    640,
    2560,
)
TPOT = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80)
SECONDS = (0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680)
NOISE = """\
# HELP python_info Python platform information
# TYPE python_info gauge
python_info{implementation="CPython",major="3",minor="12",patchlevel="11",version="3.12.11"} 1.0
# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",num_gpu_blocks="27461"} 1.0
# HELP http_requests_total Total number of requests by method, status and handler.
# TYPE http_requests_total counter
http_requests_total{handler="/v1/chat/completions",method="POST",status="2xx"} 8123.0
"""


def steps_125(most: int) -> tuple[int, ...]:
    """Return 1, 2, 5, 10 and so on up to `most`."""
    return tuple(factor * 10**power for power in range(9) for factor in (1, 2, 5) if factor * 10**power <= most)


@dataclass
class Server:
    """What one engine has counted so far; requests are (prompt, output) lengths."""

    model: str = "meta-llama/Llama-3.1-70B-Instruct"
    engine: str = "0"
    longest: int = 131_072
    requests: list[tuple[int, int]] = field(default_factory=list)
    ttft: list[float] = field(default_factory=list)
    tpot: list[float] = field(default_factory=list)
    inference: list[float] = field(default_factory=list)
    queries: int = 0
    hits: int = 0
    running: int = 0
    waiting: int = 0
    old: bool = False
    cache: str | None = "vllm:prefix_cache"

    def serve(self, requests: Sequence[tuple[int, int]], seed: int = 7) -> None:
        """Finish `requests`, in a second each on the average."""
        draws = random.Random(seed)
        self.requests += requests
        self.ttft += [draws.lognormvariate(-1.5, 0.6) for _ in requests]
        self.tpot += [draws.lognormvariate(-3.5, 0.2) for _ in requests]
        self.inference += [draws.expovariate(1.0) for _ in requests]
        self.queries += sum(prompt for prompt, _ in requests)
        self.hits += sum(prompt // 4 for prompt, _ in requests)

    def text(self, at: float | None = None) -> str:
        """Return the metrics; `at` puts a time behind each sample."""
        lengths = steps_125(self.longest)
        parts = [NOISE] if at is None else []
        gap = "vllm:time_per_output_token_seconds"
        for name, edges, values in (
            ("vllm:request_prompt_tokens", lengths, [prompt for prompt, _ in self.requests]),
            ("vllm:request_generation_tokens", lengths, [output for _, output in self.requests]),
            ("vllm:time_to_first_token_seconds", TTFT, self.ttft),
            (gap if self.old else "vllm:request_time_per_output_token_seconds", TPOT, self.tpot),
            ("vllm:e2e_request_latency_seconds", SECONDS, self.inference),
            *((("vllm:request_inference_time_seconds", SECONDS, self.inference),) if not self.old else ()),
        ):
            parts.append(self._histogram(name, edges, values, at))
        counters = {"vllm:request_success_total": float(len(self.requests))}
        if self.cache:
            ending = "" if self.old else "_total"
            counters[f"{self.cache}_queries{ending}"] = self.queries
            counters[f"{self.cache}_hits{ending}"] = self.hits
        for name, value in counters.items():
            parts.append(f"# TYPE {name} counter\n{self._sample(name, value, at)}")
        for state, value in (("running", self.running), ("waiting", self.waiting)):
            name = f"vllm:num_requests_{state}"
            parts.append(f"# HELP {name} Requests.\n# TYPE {name} gauge\n{self._sample(name, value, at)}")
        return "".join(parts)

    def write(self, path: Path, at: float | None = None) -> str:
        """Write the metrics to `path` and return it."""
        path.write_text(self.text(at), "utf-8")
        return str(path)

    def _histogram(self, name: str, edges: Sequence[float], values: Sequence[float], at: float | None) -> str:
        counts = [0] * (len(edges) + 1)
        for value in values:
            counts[bisect_left(edges, value)] += 1
        lines = [
            self._sample(f"{name}_bucket", n, at, {"le": "+Inf" if math.isinf(edge) else str(float(edge))})
            for edge, n in zip((*edges, math.inf), accumulate(counts), strict=True)
        ]
        lines += [self._sample(f"{name}_count", len(values), at), self._sample(f"{name}_sum", sum(values), at)]
        return f"# HELP {name} Histogram.\n# TYPE {name} histogram\n" + "".join(lines)

    def _sample(self, name: str, value: float, at: float | None, more: Mapping[str, str] | None = None) -> str:
        labels = {**({} if self.old else {"engine": self.engine}), **(more or {}), "model_name": self.model}
        text = ",".join(f'{label}="{held}"' for label, held in labels.items())
        return f"{name}{{{text}}} {float(value)}" + ("" if at is None else f" {round(1000 * at)}") + "\n"


def drawn(count: int, seed: int = 1, workload: str = "azure-2023-conv") -> list[tuple[int, int]]:
    """Return `count` requests of a shipped workload, drawn with a seed."""
    atoms = library.load(workload).slices[0].lengths.atoms
    weights = [weight for weight, _, _ in atoms]
    chosen = random.Random(seed).choices(atoms, weights, k=count)
    return [(round(prompt), round(output)) for _, prompt, output in chosen]


def pair(folder: Path, server: Server | None = None, requests: Sequence[tuple[int, int]] = ()) -> tuple[str, str]:
    """Return the scrapes of a server before and after it served `requests`, 3,000 drawn ones if none are given."""
    server = server or Server()
    server.serve(drawn(500, seed=2), seed=3)
    server.running = 58
    before = server.write(folder / "before.txt")
    server.serve(requests or drawn(3000))
    server.running = 64
    return before, server.write(folder / "after.txt")
