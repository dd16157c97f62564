"""What other architectures take beside a plan whose replicas do both, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.disagg import Disaggregated
from fleettui.domain.fleet import counted
from fleettui.domain.frontier import ArchitectureNeed
from fleettui.domain.plan import Candidate
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.studies.frontier import cautions, layout

AUTO = "--architecture auto:"
APART = ARCHITECTURES.named("apart")


def beside_others(told: str, needs: Iterable[ArchitectureNeed], wished: float | None = None) -> Iterator[str]:
    """Yield what was `told` of prefill and decode apart, and what fleets of further architectures take.

    All are at nominal speed, also beside a plan that is to be as sure as `wished`.
    """
    yield f"{AUTO} {told}: {APART.command}"
    for need in needs:
        one = ARCHITECTURES.named(need.architecture)
        yield f"{AUTO} {one.label} {_taken(need)}{confidence_text.nominally(wished)}: {one.command}"


def _taken(need: ArchitectureNeed) -> str:
    """Return what the fleets of an architecture take, and how that is known."""
    if need.point is None:
        return f"holds the limits on no {need.most} {need.gpu.upper()} or fewer, by formula"
    proof = need.proof
    if proof is not None and not proof.holds:
        least = f"{counted(need.point.gpus)} by formula"
        return f"takes {least}, but no fleet of up to {proof.point.gpus} that was simulated holds"
    one, known = (need.point, "by formula") if proof is None else (proof.point, f"as simulated, {proof.runs} runs")
    known = "; ".join((known, *cautions([one])))
    return f"takes {units.dollars_per_hour(one.cost)}, {counted(one.gpus)}, {layout(one)} ({known})"


def warnings(
    best: Candidate, found: Sequence[Disaggregated], needs: Iterable[ArchitectureNeed], wished: float | None = None
) -> Iterator[str]:
    """Yield which architecture takes less than the plan's own fleet; `found` has both ways where such fleets hold.

    Where the plan is to be as sure as `wished`, `best` is its fleet at nominal speed, as all others are.
    """
    cheaper = [(both.costs[0], APART.name) for both in found if both.apart is None or both.proven]
    for need in needs:
        point = need.point if need.proof is None else need.proof.point
        if point is not None and (need.proof is None or need.proof.holds):
            cheaper.append((point.cost, need.architecture))
    less = min((one for one in cheaper if one[0] < best.cost_per_hour * (1.0 - 1e-9)), default=None)
    if less is not None:
        cost, other = less[0], ARCHITECTURES.named(less[1])
        saved = units.dollars_per_hour(best.cost_per_hour - cost)
        own = "this fleet" if wished is None else f"{fleet_text.fleet(best.fleet)}{confidence_text.nominally(wished)}"
        yield f"{other.label} costs {saved} less than {own}, the least whose replicas do both: {other.command}"
