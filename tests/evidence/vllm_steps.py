"""The step law against a vLLM server's own steps: `python -m tests.evidence.vllm_steps`.

`vllm_steps.json` has what vLLM 0.20.2 took on one H100 on 27 November 2026, with weights and prompts drawn at random:
the time between steps in which so many sequences decode, counted where the engine hands tokens out, the tokens that its
cache holds, the watts of a GPU over a second or more of such steps, the kernels of ten steps as PyTorch's profiler has
them, and steps of Llama-3.1-8B by how tokens are drawn. Of it the engine's terms have what sampling takes; its layers
were chosen between these steps and public runs, which alone would have 15 and 14 us for 17 and 12. Kernels and caches
were fitted to nothing of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from fleettui.domain.hardware import Profile
from fleettui.hardware import catalog
from fleettui.hardware.kernel_search import Kernels
from fleettui.hardware.operator_law import OperatorLaw
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from tests.evidence import common

MEASURED: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
MOST_STEPS, MOST_CACHE, MOST_ATTENTION = 0.08, 0.02, 0.12
"""How far steps may be in the mean, the cache, and attention where it reads a gigabyte or more."""
ENGINE = "vllm"
GIGABYTE = 1e9


def profile_of(server: Mapping[str, Any], engine: str = ENGINE) -> Profile:
    """Return the profile of a measured server."""
    gpu, model = catalog.gpu(server["gpu"]), catalog.model(server["model"])
    return build_profile(gpu, model, dtype=server["dtype"], tp=server["tp"], engine=engine, step_law="kernels")


def step_errors(server: Mapping[str, Any], profile: Profile) -> list[float]:
    """Return the predicted over the measured time of each decode step, less one: the mean, as waits of all count."""
    return [_decode(profile, count, held) / (mean * 1e-6) - 1.0 for count, _, held, _, mean in server["decode"]]


def cache_error(server: Mapping[str, Any], profile: Profile) -> float:
    """Return the tokens that the cache is said to hold over those that it held, less one."""
    return float(profile.kv_blocks * profile.block_size / server["cached_tokens"] - 1.0)


def attention_errors(server: Mapping[str, Any], profile: Profile) -> Iterator[tuple[float, float]]:
    """Yield the bytes that attention reads in a profiled step, and the kernels' time over that measured, less one."""
    model = catalog.model(server["model"])
    law = OperatorLaw(Kernels(catalog.gpu(server["gpu"]), ENGINE), model, server["dtype"], server["tp"])
    for count, held, attention, *_ in server["kernels"]:
        yield count * held * profile.kv_bytes_per_token, float(law.decode(count, held)) / (attention * 1e-6) - 1.0


def _decode(profile: Profile, count: float, held: float) -> float:
    return float(step_time(profile.step, decodes=count, context_tokens=count * held))


def _rows(server: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    now, before = profile_of(server), profile_of(server, "vllm-0.13")
    for count, _, held, _, mean in server["decode"]:
        found, then = _decode(now, count, held), _decode(before, count, held)
        yield (
            str(count),
            f"{held:,}",
            f"{mean / 1e3:.2f}",
            f"{1e3 * found:.2f}",
            f"{found / mean * 1e6 - 1.0:+.0%}",
            f"{1e3 * then:.2f}",
        )


def main() -> int:
    """Print the tables; return 0 where steps, caches and attention are as near as they must be."""
    met: list[tuple[str, bool]] = []
    for server in MEASURED["servers"]:
        name, profile = f"{server['model']} {server['dtype']}", profile_of(server)
        heads = ("sequences", "cached of each", "ms", "by the law", "off", "by vllm-0.13")
        common.show(name, heads, [*_rows(server)])
        errors, cache = step_errors(server, profile), cache_error(server, profile)
        mean = fmean(map(abs, errors))
        far = [error for read, error in attention_errors(server, profile) if read >= GIGABYTE]
        met += [
            (f"{name}: steps {mean:.1%} off in the mean, at most {MOST_STEPS:.0%}", mean <= MOST_STEPS),
            (f"{name}: cache {cache:+.1%}, at most {MOST_CACHE:.0%}", abs(cache) <= MOST_CACHE),
            *(
                (f"{name}: attention {one:+.1%}, at most {MOST_ATTENTION:.0%}", abs(one) <= MOST_ATTENTION)
                for one in far
            ),
        ]
    rows: Sequence[Sequence[Any]] = MEASURED["sampling"]
    common.show(
        "Llama-3.1-8B, 128 tokens of prompt",
        ("drawn", "sequences", "ms"),
        [(a, str(b), f"{c / 1e3:.2f}") for a, b, c in rows],
    )
    return common.verdict(met)


if __name__ == "__main__":
    sys.exit(main())
