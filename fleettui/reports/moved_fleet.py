"""That an answer's fleet is not the one of an earlier plan, and what became of that at today's question."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from fleettui.domain.fleet import Fleet, Pool
from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units
from fleettui.reports.findings import BASELINE_FLEET, Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedFleet:
    """The fleet `before`, of a plan that people call `called`, and the one `after` it, both in a few words.

    `verdict` is what simulations at the later question showed of the earlier fleet, None where there are none; `broken`
    are its latencies over their limits, or why its queue grows without end.
    """

    before: str
    after: str
    called: str
    verdict: Verdict | None
    broken: str = ""

    @property
    def fails(self) -> bool:
        """Whether the earlier fleet was shown to fail."""
        return self.verdict == "fail"

    @property
    def text(self) -> str:
        """Return both fleets in a sentence."""
        return f"the fleet is now {self.after}; {self.before} of {self.called} {self._fate}"

    @property
    def _fate(self) -> str:
        if self.verdict is None:
            return "was not simulated here"
        if self.fails:
            return f"fails{f' ({self.broken})' if self.broken else ''}"
        return "holds, too" if self.verdict == "pass" else "is not proven here"

    def findings(self) -> Iterator[Finding]:
        """Yield that the earlier fleet fails, nothing where that was not shown."""
        if self.fails:
            yield Finding(code=BASELINE_FLEET, limit=self.before, value=self.after, holds=False, text=self.text)


def moved_fleet(
    before: Fleet | None, answer: Answer, question: Question, called: str, judged: Candidate | None = None
) -> MovedFleet | None:
    """Return how an answer's fleet differs from the one `before`, None where people would deploy the same or none.

    `judged` is the earlier fleet as a simulation at the answer's question saw it for itself, or the formulas did where
    its queue would grow without end; None where neither was asked.
    """
    best = answer.answer
    if before is None or best is None:
        return None
    words = fleet_text.told_from(before, best.fleet), fleet_text.told_from(best.fleet, before)
    if words[0] == words[1]:
        return None
    seen = _seen(before, answer) or judged
    evidence = None if seen is None else seen.evidence
    if seen is None or evidence is None:
        return MovedFleet(before=words[0], after=words[1], called=called, verdict=None)
    broken = ", ".join(_broken(seen, question)) or evidence.reason
    return MovedFleet(before=words[0], after=words[1], called=called, verdict=evidence.verdict, broken=broken)


def _seen(fleet: Fleet, answer: Answer) -> Candidate | None:
    """Return the same fleet as it was simulated at the rate of an answer, None where no such run is kept."""
    looked = (look.candidate for look in answer.looks if look.rate == answer.demand.rate)
    same = (one for one in (*answer.candidates, *looked) if _deployed(one.fleet) == _deployed(fleet))
    return next((one for one in same if one.simulation is not None), None)


def _deployed(fleet: Fleet) -> Hashable:
    """Return what of a fleet is deployed: its context is as long as requests are, its step times are the program's."""
    pools = tuple(map(_deployed_pool, fleet.pools))
    return pools, fleet.router, fleet.router_refresh, fleet.admission, fleet.gamma, fleet.compressible


def _deployed_pool(pool: Pool) -> Hashable:
    return pool.replica_key, pool.replicas, pool.spares, pool.above, pool.settings


def _broken(seen: Candidate, question: Question) -> Iterator[str]:
    for limit, left in fleet_text.slo_margins(seen, question.slo):
        found = fleet_text.worst(seen, limit)
        if found is not None and left is not None and left < 0:
            yield f"{fleet_text.ranked(limit, question.slo)} {units.seconds(found.value)}"
