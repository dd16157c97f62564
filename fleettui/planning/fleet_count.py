"""What progress says of a search: which of its fleets is simulated, of how many at most (`smallest_fleet` says)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleettui.domain.plan import Evidence
from fleettui.domain.progress import Interval, Progress
from fleettui.domain.slo import Slo
from fleettui.planning.worker_process import Report
from fleettui.reports.fleet_text import high_end, ranked


@dataclass(slots=True)
class FleetCount:
    """Tells `report` of progress with the number of the fleet; `most`, once known, grows only where it was passed."""

    report: Report
    number: int = 0
    most: int = 0

    def begin(self, number: int, most: int) -> None:
        """Go on to the fleet numbered `number`, of at most `most` as far as is known now (0: that is not known)."""
        self.number = number
        self.most = max(number, min(most, self.most or most)) if most else 0

    def tell(self, progress: Progress) -> None:
        """Report progress on the present fleet."""
        self.report(replace(progress, fleet=self.number, fleets=self.most))


def intervals(evidence: Evidence, slo: Slo) -> tuple[Interval, ...]:
    """Return what runs have shown of each limit so far, in the pool that is nearest to it; none where undefined."""
    found = []
    for limit in slo.limits():
        seen = [pool.at(limit) for pool in evidence.pools]
        worst = max(seen, key=lambda one: high_end(one) or 0.0, default=None)
        if worst is not None and worst.value is not None and worst.low is not None and worst.high is not None:
            found.append(
                Interval(
                    name=ranked(limit, slo),
                    low=worst.low,
                    value=worst.value,
                    high=worst.high,
                    limit=limit.seconds,
                    runs=evidence.replications,
                )
            )
    return tuple(found)
