"""Cheaper GPUs for the roles of disaggregated fleets, and the three gates (Frontier, Section 6.2).

The paper gives H20 to the decodes of prefill/decode and to the attention of attention/FFN, and refuses it for
feed-forward layers, which are limited by arithmetic, and where prefill is left too small. Its prices and scores are not
legible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from fleettui.domain.frontier import FrontierPoint
from fleettui.domain.hardware import Gpu, Profile
from fleettui.domain.hetero import COMPUTE_LIMITED, LEAST_EFFICIENCY, Allocation, Gate, Role
from fleettui.domain.plan import Estimate
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.architectures import Architectures
from fleettui.optimize.mechanisms.frontiers import Sweep, at_rate, slices_of
from fleettui.optimize.mechanisms.mechanism import Mechanism, Row
from fleettui.optimize.mixed_roles import Mixed, allocation
from fleettui.optimize.ranges import Slices
from fleettui.simulation.statistics import estimate

EXPERTS = Sweep(
    model="qwen3-235b-a22b",
    dtype="fp8",
    gpus=64,
    tp=(8,),
    layouts=("tp4dp2/ep8", "tp2dp4/ep8", "tp4/ep8"),
    context=16_384,
    ttft=2.0,
    tpot=0.05,
)
"""The paper's model on fewer GPUs."""
DENSE = replace(EXPERTS, model="llama-3.3-70b", layouts=("tp4/tp4", "tp4dp2/tp8", "tp8/tp8"))
SWEEPS = (EXPERTS, DENSE)
PROMPT, OUTPUT = 2048, 512
CHEAPER, PRICE = "h20", 1.2
"""The cheaper GPU and its dollars an hour, an assumption: no list has it."""
RUNS, STEPS = 4, 10
SWAPS: tuple[tuple[str, tuple[Role, ...], str], ...] = (
    ("apart", ("decode",), "printed as accepted"),
    ("apart", ("prefill",), "printed as refused where prefill is left too small"),
    ("afd", ("attention",), "printed as accepted"),
    ("afd", ("feed-forward",), "printed as refused at gate 1"),
)
GATES: dict[Gate, str] = {
    "": "accepted",
    "memory": "does not fit",
    "compute": f"refused at gate 1: over {COMPUTE_LIMITED:g} times as long by arithmetic",
    "limits": "refused at gate 2: no rate keeps the limits",
    "efficiency": f"refused at gate 3: under {LEAST_EFFICIENCY:g} times the tokens for a dollar",
}


def bases(sweep: Sweep, made: Architectures, slices: Slices) -> dict[str, FrontierPoint]:
    """Return the fleet of each disaggregated architecture that serves most and keeps the limits."""
    highest, found = made.most_rate(), dict[str, FrontierPoint]()
    for step in range(1, STEPS + 1):
        for one in replace(made, slices=at_rate(slices, highest * step / STEPS)).tried(lambda: None).points:
            keeps = one.apart is not None and one.ttft <= sweep.ttft and one.tpot <= sweep.tpot
            if keeps and one.tokens > (found[one.architecture].tokens if one.architecture in found else 0.0):
                found[one.architecture] = one
    assert set(found) == {"apart", "afd"}, f"{sweep.model} holds at no rate but in {sorted(found)}"
    return found


def swapped(sweep: Sweep, seed: int, index: int) -> list[tuple[Allocation, Allocation]]:
    """Return each swap beside its fleet of one GPU type, for the lengths of a run."""
    slices = slices_of(prompt=PROMPT, output=OUTPUT, seed=seed, index=index)
    made = sweep.architectures(slices)
    of = bases(sweep, made, slices)

    def profile(gpu: Gpu, tp: int, price: float) -> Profile:
        model = catalog.model(sweep.model)
        return build_profile(gpu, model, dtype=sweep.dtype, tp=tp, step_law="kernels", price=price)

    def given(name: str, roles: tuple[Role, ...]) -> Allocation:
        mixed = Mixed(
            base=of[name],
            made=made,
            own=catalog.gpu(sweep.gpu),
            cheaper=catalog.gpu(CHEAPER),
            price=PRICE,
            roles=roles,
            slices_at=partial(at_rate, slices),
            profile_of=profile,
        )
        return allocation(mixed, lambda: None)

    return [(given(name, roles), given(name, ())) for name, roles, _ in SWAPS]


def rows(seed: int, tell: Callable[[str, int, int], None]) -> list[Row]:
    """Return of each swap how much longer its role takes by arithmetic alone, and its tokens for a dollar."""
    found = list[Row]()
    for at, sweep in enumerate(SWEEPS):
        runs = list[list[tuple[Allocation, Allocation]]]()
        for index in range(RUNS):
            tell(f"{sweep.model}, lengths {index + 1}", at * RUNS + index, len(SWEEPS) * RUNS)
            runs.append(swapped(sweep, seed, index))
        for place, (name, roles, printed) in enumerate(SWAPS):
            whose = f"{sweep.model}, {roles[0]} of {'prefill/decode' if name == 'apart' else 'attention/FFN'}"
            found += _of_swap(whose, printed if sweep is EXPERTS else "", [run[place] for run in runs])
    found.append(Row(name="spend ratios and scores of Figure 14", note="illegible; of the paper's own profiles"))
    return found


def _of_swap(whose: str, printed: str, pairs: list[tuple[Allocation, Allocation]]) -> list[Row]:
    gates = " or ".join(dict.fromkeys(GATES[one.refused_by(plain)] for one, plain in pairs))
    slower = estimate([one.slower[0][1] - 1.0 if one.slower else None for one, _ in pairs])
    note = "; ".join(filter(None, (gates, printed)))
    return [
        Row(name=f"{whose}: longer by arithmetic alone", ours=slower, note=note),
        Row(name=f"{whose}: tokens for a dollar", ours=_gain(pairs), note="at the highest rate that holds"),
    ]


def _gain(pairs: list[tuple[Allocation, Allocation]]) -> Estimate:
    return estimate([one.efficiency(plain) - 1.0 for one, plain in pairs])


MECHANISM = Mechanism(
    title="FR 6.2",
    about=f"roles on {CHEAPER.upper()} at ${PRICE:g}/h in fleets of {EXPERTS.gpus} {EXPERTS.gpu.upper()}, change to "
    f"none there, by formula; in {EXPERTS.dtype}, mean lengths {PROMPT}/{OUTPUT}, low and high of {RUNS} draws",
    rows=rows,
)
