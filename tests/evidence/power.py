"""What GPUs draw, by the law of `fleettui/hardware/catalog/power.toml`: `python -m tests.evidence.power`.

Of each measured point the law's arguments are those of an average step: with B sequences at J joules a token G GPUs of
W watts give W·G/J tokens a second, and a step takes B·J/(W·G). In that time the step of the catalogue's law, without
what the engine adds, is what the GPU works; of experts that are spread it is not known, and what the engine adds is the
host's share. Constants are fitted by least squares of relative errors, drawn to zero as little as RIDGE says. Printed
are the constants of each law, the points with what the law draws there, fitted on all of the GPU and with the model
left out, and the errors.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np

from fleettui.domain.power_law import PowerLaw
from fleettui.hardware import catalog, records
from fleettui.hardware.power import MOST_WAITING, Floats, working_power
from fleettui.hardware.power_cap import decodes_draw, prompts_draw
from fleettui.hardware.power_laws import POWER, power_law
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time, touched_share
from tests.evidence import common

RIDGE = 0.003
CONSTANTS = ("floor", "compute", "bandwidth", "links")
MOST_ERROR, MOST_MEDIAN = 0.10, 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measured draw (watts a GPU), and what the GPU did: shares of peak, bandwidth and time, GPUs of the replica.

    `measured_step` and `step` are the seconds that a step took and takes by the catalogue's law.
    """

    gpu: str
    model: str
    batch: int
    watts: float
    arithmetic: float
    bandwidth: float
    waiting: float
    ways: int
    measured_step: float
    step: float
    spread: bool

    @property
    def share(self) -> float:
        """What is drawn of the thermal design power."""
        return self.watts / power_law(catalog.gpu(self.gpu)).limit


def points() -> tuple[Point, ...]:
    """Return every measured point of the catalogue."""
    record = records.shipped(POWER)
    return tuple(one for group in record.tables("points") for one in _points(record, group))


def _points(record: records.Record, group: records.Record) -> Iterator[Point]:
    tp, spread = int(group.number("tp")), group.flag("expert_parallel")
    profile = build_profile(
        catalog.gpu(group.text("gpu")),
        catalog.model(group.text("model")),
        dtype=group.text("dtype"),  # type: ignore[arg-type]
        tp=tp,
        step_law="kernels",
        expert_parallel=spread,
        price=1.0,
    )
    prompt, output = record.number("prompt"), record.number("output")
    rows: Sequence[Sequence[float]] = group.values["rows"]  # type: ignore[assignment]
    for batch, watts, _, joules in rows:
        rate = watts * tp / joules
        seconds, context = batch / rate, prompt + output / 2.0
        took = float(
            step_time(
                profile.step,
                decodes=batch,
                context_tokens=batch * context,
                prompt_tokens=batch * prompt / output,
                attention_pairs=batch / output * prompt**2 / 2.0,
                prompts=batch / output,
            )
        )
        host = profile.step.overhead / seconds
        read = float(touched_share(profile.step, batch)) * profile.bytes_per_step
        read += batch * context * profile.kv_bytes_per_token
        yield Point(
            gpu=profile.gpu,
            model=profile.model,
            batch=int(batch),
            watts=watts,
            arithmetic=rate * profile.flops_per_token * (1.0 + prompt / output) / profile.peak,
            bandwidth=read / seconds / profile.bandwidth,
            waiting=host if spread else max(host, 1.0 - (took - profile.step.overhead) / seconds),
            ways=tp,
            measured_step=seconds,
            step=took,
            spread=spread,
        )


def fitted(found: Sequence[Point]) -> dict[str, float]:
    """Return the constants that fit some points best; what works draws no less than what is idle: `floor` from 0 on."""
    host = records.shipped(POWER).number("host")
    rows, drawn = [], []
    for one in found:
        law = power_law(catalog.gpu(one.gpu))
        share = min(one.waiting, MOST_WAITING)
        left, weight = 1.0 - share, (1.0 - host * share) / one.share
        rows.append(
            [
                weight,
                weight * math.sqrt(one.arithmetic / left),
                weight * one.bandwidth / left,
                weight * (1.0 - 1.0 / one.ways),
            ]
        )
        drawn.append(1.0 - law.idle / law.limit / one.share)
    matrix, target = np.array(rows), np.array(drawn)
    free: list[float] = _solved(matrix, target, np.array([0.0, RIDGE, RIDGE, RIDGE])).tolist()
    if free[0] < 0.0:
        free = [0.0, *_solved(matrix[:, 1:], target, np.full(3, RIDGE)).tolist()]
    return dict(zip(CONSTANTS, free, strict=True))


def _solved(matrix: Floats, target: Floats, ridge: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix.T @ matrix + np.diag(ridge), matrix.T @ target), np.float64)


def off(one: Point, constants: dict[str, float]) -> float:
    """Return by what share the law of some constants draws more than was measured at a point."""
    known = power_law(catalog.gpu(one.gpu))
    law = replace(known, **constants)  # type: ignore[arg-type]
    drawn = working_power(law, arithmetic=one.arithmetic, bandwidth=one.bandwidth, waiting=one.waiting, ways=one.ways)
    return float(drawn) / one.watts - 1.0


def held_out(found: Sequence[Point], key: str) -> list[float]:
    """Return what each point is off by, in order, where all that share its `key` were left out of the fit."""
    laws = {
        value: fitted([one for one in found if getattr(one, key) != value])
        for value in dict.fromkeys(getattr(one, key) for one in found)
    }
    return [off(one, laws[getattr(one, key)]) for one in found]


def mean_error(errors: Sequence[float]) -> float:
    """Return the mean of what points are off by, whichever way."""
    return fmean(map(abs, errors))


def main() -> int:
    """Print the laws, the points and the errors; return 0 where the law is as good as it must be."""
    found = points()
    by_gpu = {gpu: [one for one in found if one.gpu == gpu] for gpu in dict.fromkeys(one.gpu for one in found)}
    left_out: list[float] = []
    for gpu, own in by_gpu.items():
        errors, law = held_out(own, "model"), fitted(own)
        left_out += errors
        _show(gpu, law, mean_error(errors))
        rows = [
            (one.model, str(one.batch), f"{one.watts:.0f}", f"{off(one, law):+.1%}", f"{error:+.1%}")
            for one, error in zip(own, errors, strict=True)
        ]
        common.show(gpu, ("model", "batch", "W measured", "fitted", "model left out"), rows)
    _show("other", fitted(found), mean_error(held_out(found, "gpu")))
    common.show("GPUs without points", ("GPU", "what", "published", "by the law"), [*_elsewhere()])
    steps = [one.step / one.measured_step for one in found if not one.spread and one.model != "llama-3.1-8b"]
    middle, mean = median(map(abs, left_out)), mean_error(left_out)
    return common.verdict(
        (
            (f"models left out: {mean:.1%} on average, at most {MOST_ERROR:.0%}", mean <= MOST_ERROR),
            (f"models left out: {middle:.1%} median, at most {MOST_MEDIAN:.0%}", middle <= MOST_MEDIAN),
            (f"steps by the law are {min(steps):.2f} to {max(steps):.2f} of the measured", min(steps) > 0.84),
        )
    )


def _elsewhere() -> Iterator[tuple[str, str, str, str]]:
    """Yield what was published of other GPUs and other loads, Llama-2-70B throughout, beside the law."""
    for gpu, tp, what, published in (
        ("a100", 8, "prompts", "400 W (Splitwise)"),
        ("a100", 8, "decodes", "250 W (Splitwise)"),
        ("a100", 2, "mean of both", "292 to 316 W (Splitwise, 0.73 to 0.79 of the limit)"),
        ("a100", 4, "mean of both", "236 to 256 W (Splitwise, 0.59 to 0.64)"),
        ("a100", 8, "mean of both", "172 to 184 W (Splitwise, 0.43 to 0.46)"),
        ("h100", 8, "prompts", "700 W (Splitwise)"),
        ("h100", 8, "decodes", "380 W (Splitwise)"),
        ("h200", 8, "decodes", "137 to 300 W (arXiv 2605.11999)"),
    ):
        model = catalog.model("llama-2-70b")
        profile = build_profile(catalog.gpu(gpu), model, dtype="bf16", tp=tp, step_law="kernels", price=1.0)
        law = profile.power
        assert isinstance(law, PowerLaw)
        drawn = {"prompts": prompts_draw(profile, law), "decodes": decodes_draw(profile, law)}
        told = " to ".join(f"{one:.0f}" for one in sorted(drawn.values())) if what == "mean of both" else ""
        yield f"{gpu} tp{tp}", what, published, f"{told or format(drawn[what], '.0f')} W"


def _show(name: str, law: dict[str, float], error: float) -> None:
    said = " ".join(f"{key} = {value:.3f}" for key, value in (*law.items(), ("error", error)))
    common.say(f"{name}: {said}")


if __name__ == "__main__":
    sys.exit(main())
