"""Policies on the pools of a plan's fleet over a day: what was asked, what came of it, and which are worth a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fleettui.autoscaling.policies import POLICIES
from fleettui.domain.autoscale import Delay, Event, PolicyFigures, PoolSite, Rules, Tuned
from fleettui.domain.day import Day
from fleettui.domain.plan import Answer
from fleettui.domain.scenario import Question
from fleettui.reports import units
from fleettui.reports.autoscale_text import BACKOFF, write_delay, write_event
from fleettui.reports.studies.committed import Committed, committed

HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked: of which plan, on which day, with which delay and rules, `only` which policies.

    `day_option` says the day where it is not the plan's own; `day_caution` may say whose it is.
    """

    plan: Answer
    question: Question
    day: Day
    delay: Delay
    rules: Rules
    runs: int
    only: tuple[str, ...]
    events: tuple[Event, ...] = ()
    tune: bool = False
    reserved: float | None = None
    day_option: str = ""
    day_caution: str = ""

    @property
    def line(self) -> str:
        """The command, with what is not as by default."""
        plain, rules = Rules().beside(self.question.bounds), self.rules
        words = [f"autoscale {self.plan.plan.handle}", *filter(None, [self.day_option])]
        words += [f"--delay {write_delay(self.delay)}"]
        words += [f"--event {write_event(one)}" for one in self.events]
        words += [f"--runs {self.runs}"]
        named = {"cycle": f"{rules.cycle:g}s", "beta": f"{rules.beta:g}", "step": f"{rules.step:g}"}
        named |= {"hold": f"{rules.hold:g}s", "buffer": str(rules.buffer)}
        named |= {"target": f"{100 * rules.target:g}%", "queue": str(rules.queue)}
        words += [f"--{name} {text}" for name, text in named.items() if getattr(rules, name) != getattr(plain, name)]
        if (rules.retries, rules.backoff) != (plain.retries, plain.backoff):
            backoff = f" --retry-backoff {BACKOFF.write(rules.backoff)}" if rules.retries and rules.backoff else ""
            words.append(f"--retries {rules.retries}{backoff}")
        words += [f"--exclude {rules.exclude}"] if rules.exclude is not None else []
        words += [f"--min {rules.least}"] if rules.least != plain.least else []
        words += [f"--max {rules.most}"] if rules.most is not None else []
        if self.only != POLICIES.names:
            words.append(f"--policies {','.join(self.only)}")
        words += ["--tune"] if self.tune else []
        words += [f"--reserved {units.SHARE.write(self.reserved)}"] if self.reserved is not None else []
        return " ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCase:
    """What policies came to on a day, each with its figures, and those that were tuned."""

    asked: Asked
    pools: Sequence[PoolSite]
    figures: Sequence[PolicyFigures]
    tuned: Sequence[Tuned] = ()

    @property
    def share(self) -> float:
        """The share of requests that the SLO asks for."""
        return self.asked.question.slo.percentile

    @property
    def held_to(self) -> PolicyFigures:
        """The policy that the others are held to: the constant fleet for the peak, where it is among them."""
        return next((one for one in self.figures if one.policy == "static-peak"), self.figures[0])

    @property
    def ideal(self) -> float:
        """GPU-hours that the traffic fills where each replica has the most that it holds."""
        return sum(one.site.replicas(1.0) * one.site.day.requests / HOUR * one.gpus for one in self.pools)

    @property
    def spare_gpus(self) -> int:
        """The GPUs of the plan's spare replicas, which are paid for beside those that policies scale."""
        return sum(gpus for gpus, _ in self._spares())

    @property
    def spare_cost(self) -> float:
        """US dollars an hour for the GPUs of the plan's spare replicas."""
        return sum(gpus * price for gpus, price in self._spares())

    def _spares(self) -> list[tuple[int, float]]:
        """Return the spare GPUs of each pool, and what one of them costs an hour."""
        best = self.asked.plan.answer
        pools = () if best is None else best.fleet.pools
        price = {one.name: one.price for one in self.pools}
        return [(pool.spares * pool.gpus_per_replica, price[pool.name]) for pool in pools if pool.spares]

    @property
    def best(self) -> PolicyFigures | None:
        """The cheapest policy that keeps the SLO over the day, None where none does."""
        return min(filter(self.keeps, self.real), key=cost, default=None)

    @property
    def real(self) -> list[PolicyFigures]:
        """The policies that do not know the day beforehand."""
        return [one for one in self.figures if not POLICIES.named(one.policy).foresees]

    def commitments(self) -> list[Committed]:
        """Return the best commitment under each policy, cheapest first; none where no price of committed GPUs is."""
        share = self.asked.reserved
        found = [] if share is None else [committed(one, self.pools, share) for one in self.figures]
        return sorted(found, key=lambda one: one.cost)

    def keeps(self, one: PolicyFigures) -> bool:
        """Return whether a policy keeps the SLO over the day."""
        return met(one) >= self.share


def front(figures: Sequence[PolicyFigures]) -> tuple[PolicyFigures, ...]:
    """Return the policies that no other beats in cost and SLO at once, cheapest first; who foresees does not count."""
    real = [one for one in figures if not POLICIES.named(one.policy).foresees]
    kept = [one for one in real if not any(_beats(other, one) for other in real)]
    return tuple(sorted(kept, key=cost))


def _beats(one: PolicyFigures, other: PolicyFigures) -> bool:
    """Return whether `one` is no worse than `other` in both, and better in one of them."""
    own, theirs = (cost(one), -met(one)), (cost(other), -met(other))
    return own != theirs and own[0] <= theirs[0] and own[1] <= theirs[1]


def cost(one: PolicyFigures) -> float:
    """Return US dollars an hour, the mean over the day."""
    return one.cost_per_hour.value or 0.0


def met(one: PolicyFigures) -> float:
    """Return the share of the offered requests within every limit."""
    return one.met.value or 0.0
