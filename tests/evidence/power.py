"""What GPUs draw, by the law of `fleettui/hardware/catalog/power.toml`: `python -m tests.evidence.power`.

Of each measured point the law's arguments are those of an average step: with B sequences at J joules a token G GPUs of
W watts give W·G/J tokens a second, and a step takes B·J/(W·G). In that time the step of the catalogue's law, without
what the engine adds, is what the GPU works; of experts that are spread it is not known, and what the engine adds is the
host's share. Of steps that were measured for themselves the shares are counted, and stand in the file. Constants are
fitted to the relative errors, those beyond SOFT counting less than their squares, published points together as much as
the others together. Printed are the constants of each law, the published points with what the law draws there, fitted
on all of the GPU and with the model left out, and the errors; and those of published points of which each third was
left out of the fit in turn, every third point as they stand and every third server.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np
from scipy.optimize import least_squares

from fleettui.domain.power_law import PowerLaw
from fleettui.hardware import catalog, records
from fleettui.hardware.power import Floats, working_power
from fleettui.hardware.power_cap import decodes_draw, prompts_draw
from fleettui.hardware.power_laws import POWER, power_law
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time, touched_share
from tests.evidence import common

ENGINE = "vllm-0.13"
"""Whose steps the published points are nearest to, which do not say their version."""
SOFT = 0.1
STEP = 0.01  # by which a constant is changed to see whether any point tells of it
FIRST = {"floor": 0.07, "compute": 1.5, "bandwidth": 0.6, "links": 0.2, "experts": 0.1}
"""The constants, and where the fit begins."""
MOST = (0.5, 9.0, 3.0, 0.9, 1.0)
WAITING = 0.076
"""The least floor of a GPU of which no step was measured for itself: that of the H200, whose gaps were measured."""
CONSTANTS = tuple(FIRST)
MOST_ERROR, MOST_MEDIAN = 0.10, 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One measured draw (watts a GPU), and what the GPU did: shares of peak, bandwidth and time, GPUs of the replica.

    `pace` is the time of a step by the catalogue's law over that measured, 0 of a step that was measured for itself,
    and `batch` is 0 there.
    """

    gpu: str
    model: str
    batch: int
    watts: float
    arithmetic: float
    bandwidth: float
    waiting: float
    ways: int
    experts: bool
    pace: float = 0.0

    @property
    def published(self) -> bool:
        """Whether it is of a public benchmark, of a server at work."""
        return self.batch > 0


def points() -> tuple[Point, ...]:
    """Return every point of the catalogue that was published."""
    record = records.shipped(POWER)
    return tuple(one for group in record.tables("points") for one in _points(record, group))


def steps_alone() -> tuple[Point, ...]:
    """Return every point of the catalogue that was measured for itself."""
    return tuple(
        Point(
            gpu=group.text("gpu"),
            model=group.text("work"),
            batch=0,
            watts=watts,
            arithmetic=arithmetic,
            bandwidth=bandwidth,
            waiting=waiting,
            ways=1,
            experts=group.flag("experts"),
        )
        for group in records.shipped(POWER).tables("measured")
        for arithmetic, bandwidth, waiting, watts in group.values["rows"]  # type: ignore[attr-defined]
    )


def _points(record: records.Record, group: records.Record) -> Iterator[Point]:
    tp, spread = int(group.number("tp")), group.flag("expert_parallel")
    profile = build_profile(
        catalog.gpu(group.text("gpu")),
        catalog.model(group.text("model")),
        dtype=group.text("dtype"),  # type: ignore[arg-type]
        tp=tp,
        engine=ENGINE,
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
            experts=spread,
            pace=took / seconds,
        )


def fitted(found: Sequence[Point]) -> dict[str, float]:
    """Return the constants that fit some points best, from zero on; a floor that only servers tell, from WAITING on.

    What no point tells of stays as in FIRST: links, where all were measured on one GPU.
    """
    served = all(one.published for one in found)
    least = [WAITING if served and name == "floor" else 0.0 for name in CONSTANTS]
    weights = np.sqrt([1.0 / sum(one.published == other.published for other in found) for one in found])

    def errors(constants: Floats) -> Floats:
        law = dict(zip(CONSTANTS, constants.tolist(), strict=True))
        return np.asarray(weights * [off(one, law) for one in found], np.float64)

    first = np.maximum([*FIRST.values()], least)
    told = np.array([(errors(first + step) != errors(first)).any() for step in np.eye(len(first)) * STEP])

    def of_told(constants: Floats) -> Floats:
        whole = first.copy()
        whole[told] = constants
        return errors(whole)

    best = least_squares(
        of_told, first[told], bounds=(np.array(least)[told], np.array(MOST)[told]), loss="soft_l1", f_scale=SOFT
    )
    first[told] = best.x
    return dict(zip(CONSTANTS, first.tolist(), strict=True))


def off(one: Point, constants: dict[str, float]) -> float:
    """Return by what share the law of some constants draws more than was measured at a point."""
    constants = constants | {"experts": constants["experts"] * one.experts}
    law = replace(power_law(catalog.gpu(one.gpu)), **constants)  # type: ignore[arg-type]
    drawn = working_power(law, arithmetic=one.arithmetic, bandwidth=one.bandwidth, waiting=one.waiting, ways=one.ways)
    return float(drawn) / one.watts - 1.0


def held_out(found: Sequence[Point], key: str) -> list[float]:
    """Return what each point is off by, in order, where all that share its `key` were left out of the fit."""
    laws = {
        value: fitted([one for one in found if getattr(one, key) != value])
        for value in dict.fromkeys(getattr(one, key) for one in found)
    }
    return [off(one, laws[getattr(one, key)]) for one in found]


def thirds(found: Sequence[Point], *, servers: bool) -> list[float]:
    """Return what each published point is off by where each third was left out in turn, of the points or `servers`."""
    served = [one for one in found if one.published]
    names = list(dict.fromkeys((one.gpu, one.model) for one in served))
    place = {one: names.index((one.gpu, one.model)) if servers else at for at, one in enumerate(served)}
    held: list[float] = []
    for third in range(3):
        out = [one for one in served if place[one] % 3 == third]
        for gpu in dict.fromkeys(one.gpu for one in out):
            law = fitted([one for one in found if one.gpu == gpu and one not in out])
            held += [off(one, law) for one in out if one.gpu == gpu]
    return held


def mean_error(errors: Sequence[float]) -> float:
    """Return the mean of what points are off by, whichever way."""
    return fmean(map(abs, errors))


def main() -> int:
    """Print the laws, the points and the errors; return 0 where the law is as good as it must be."""
    found = (*points(), *steps_alone())
    by_gpu = {gpu: [one for one in found if one.gpu == gpu] for gpu in dict.fromkeys(one.gpu for one in found)}
    left_out: list[float] = []
    for gpu, own in by_gpu.items():
        errors, law = held_out(own, "model"), fitted(own)
        left_out += errors
        _show(gpu, law, mean_error(errors))
        rows = [
            (one.model, str(one.batch), f"{one.watts:.0f}", f"{off(one, law):+.1%}", f"{error:+.1%}")
            for one, error in zip(own, errors, strict=True)
            if one.published
        ]
        common.show(gpu, ("model", "batch", "W measured", "fitted", "model left out"), rows)
    unseen = [error for one, error in zip(found, held_out(found, "gpu"), strict=True) if one.published]
    _show("other", fitted(found), mean_error(unseen))
    common.show("GPUs without points", ("GPU", "what", "published", "by the law"), [*_elsewhere()])
    steps = [one.pace for one in found if one.published and not one.experts and one.model != "llama-3.1-8b"]
    middle, mean = median(map(abs, left_out)), mean_error(left_out)
    by_point, by_server = (thirds(found, servers=one) for one in (False, True))
    third = median(map(abs, by_point))
    common.say(
        f"published points, each third left out: {third:.1%} median, {mean_error(by_point):.1%} on average; each third "
        f"of the servers left out: {median(map(abs, by_server)):.1%} median, {mean_error(by_server):.1%} on average"
    )
    return common.verdict(
        (
            (f"models left out: {mean:.1%} on average, at most {MOST_ERROR:.0%}", mean <= MOST_ERROR),
            (f"models left out: {middle:.1%} median, at most {MOST_MEDIAN:.0%}", middle <= MOST_MEDIAN),
            (f"thirds of the published points left out: {third:.1%} median, at most 10%", third <= MOST_MEDIAN),
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
