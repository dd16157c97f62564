"""What other architectures take beside a plan whose replicas do both, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fleettui.domain.disagg import Disaggregated
from fleettui.domain.fleet import counted
from fleettui.domain.frontier import AfdNeed, Architecture
from fleettui.domain.plan import Candidate
from fleettui.reports import units
from fleettui.reports.studies.frontier import NAMES, UNHELD, layout

AUTO = "--architecture auto:"
AFD = "fleettui frontier last"
APART = "fleettui disagg last"


def beside_others(told: str, need: AfdNeed) -> Iterator[str]:
    """Yield what was `told` of prefill and decode apart, and what fleets take whose attention is apart, too."""
    yield f"{AUTO} {told}: {APART}"
    yield f"{AUTO} {NAMES['afd']} {_afd(need)}: {AFD}"


def _afd(need: AfdNeed) -> str:
    """Return what AFD fleets take, and how that is known."""
    if need.point is None:
        return f"holds the limits on no {need.most} {need.gpu.upper()} or fewer, by formula"
    proof = need.proof
    if proof is not None and not proof.holds:
        least = f"{counted(need.point.gpus)} by formula"
        return f"takes {least}, but no fleet of up to {proof.point.gpus} that was simulated holds"
    one, known = (need.point, "by formula") if proof is None else (proof.point, f"as simulated, {proof.runs} runs")
    return f"takes {units.dollars_per_hour(one.cost)}, {counted(one.gpus)}, {layout(one)} ({known}; {UNHELD})"


def warnings(best: Candidate, found: Sequence[Disaggregated], need: AfdNeed) -> Iterator[str]:
    """Yield which architecture takes less than the plan's own fleet; `found` has both ways where such fleets hold."""
    cheaper = list[tuple[float, Architecture, str]]()
    cheaper += [(both.costs[0], "apart", APART) for both in found if both.apart is None or both.proven]
    afd = need.point if need.proof is None else need.proof.point
    if afd is not None and (need.proof is None or need.proof.holds):
        cheaper.append((afd.cost, "afd", AFD))
    less = min((one for one in cheaper if one[0] < best.cost_per_hour * (1.0 - 1e-9)), default=None)
    if less is not None:
        cost, name, command = less
        saved = units.dollars_per_hour(best.cost_per_hour - cost)
        yield f"{NAMES[name]} costs {saved} less than this fleet, the least whose replicas do both: {command}"
