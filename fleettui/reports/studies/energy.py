"""Energy of tokens as a study: what fleets of other GPUs and pools give for a joule, against how much they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fleettui.domain.meter import JOULES, feed
from fleettui.domain.plan import Answer
from fleettui.domain.power_levels import EnergyPoint
from fleettui.domain.scenario import Question
from fleettui.domain.study import Declared, Study, StudyTable, table_of
from fleettui.reports import confidence_text, fleet_text, units

NEAR = 1e-9
NOTE = (
    "output tokens for a joule of the GPUs, and of the site with hosts and cooling; at the meter joules of a request, "
    "grams of CO2 and dollars of electricity of 1M output tokens; by formula"
)


def energy_study(plan: Answer, question: Question, points: Sequence[EnergyPoint]) -> Study:
    """Return the study of fleets at shares of a plan's rate; the plan's own fleet comes first of `points`."""
    story = _Story(question=question, points=points)
    return Study.of(
        plan.plan,
        sentences=story.sentences(),
        tables=(story.own(), story.others()),
        warnings=story.warnings(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Fleets and the energy of their tokens, told in sentences and tables."""

    question: Question
    points: Sequence[EnergyPoint]

    @property
    def plain(self) -> list[EnergyPoint]:
        """The plan's own fleet, at each load."""
        return [one for one in self.points if one.fleet == self.points[0].fleet]

    @property
    def whole(self) -> list[EnergyPoint]:
        """Each fleet at the plan's rate."""
        return [one for one in self.points if abs(one.share - 1.0) < NEAR]

    def sentences(self) -> Iterator[str]:
        own = self.whole[0]
        yield (
            f"the plan's fleet gives {self._tokens(own):.3g} output tokens per joule of its GPUs, "
            f"{self._metered(own):.3g} at the meter: {units.count(self._joules(own))} J per request"
        )
        least = self.plain[0]
        if least.share < own.share:
            ratio = self._metered(own) / self._metered(least)
            yield (
                f"at {units.percent(least.share)} of the rate a token takes {ratio:.2g} times the energy: "
                "GPUs that wait draw power, and hosts all of it"
            )
        best = max(self.whole, key=self._metered)
        if best.fleet == own.fleet:
            yield "of the fleets that the plan kept, none gives more for a joule at the meter"
        else:
            more = self._metered(best) / self._metered(own) - 1.0
            yield (
                f"{fleet_text.fleet(best.fleet)} gives {units.percent(more)} more for a joule at the meter, at "
                f"{units.dollars_per_hour(best.cost)} instead of {units.dollars_per_hour(own.cost)}{self._nominally}"
            )

    def own(self) -> StudyTable:
        """Return the table of the plan's fleet against its load."""
        return table_of(
            "the plan's fleet at parts of its rate",
            self.plain,
            ("rate", "rate", lambda one: one.rate),
            ("busy", "share", lambda one: one.utilization),
            ("power", "watts", lambda one: one.watts),
            *self._figures(),
            note=NOTE,
        )

    def others(self) -> StudyTable:
        """Return the table of the best fleet of each choice of GPUs and pools, at the plan's rate."""
        return table_of(
            "the cheapest fleet of each choice of GPUs and pools, at the plan's rate",
            sorted(self.whole, key=self._metered, reverse=True),
            ("fleet", "text", lambda one: fleet_text.fleet(one.fleet)),
            ("cost_per_hour", "dollars per hour", lambda one: one.cost),
            *self._figures(),
            note=f"{NOTE}; fleets beside the plan's{self._nominally}" if self._nominally else NOTE,
        )

    @property
    def _nominally(self) -> str:
        return confidence_text.nominally(self.question.confidence)

    def _figures(self) -> tuple[Declared[EnergyPoint], ...]:
        """Return the columns of energy; grams and dollars where the question gives them."""
        grams, price = self.question.carbon, self.question.power_price
        found: list[Declared[EnergyPoint]] = [
            ("of_gpus", "tokens per joule", self._tokens),
            ("at_meter", "tokens per joule", self._metered),
            ("joules", "number", self._joules),
        ]
        if grams is not None:
            found.append(("grams", "number", lambda one: self._kwh(one) * grams))
        if price is not None:
            found.append(("dollars", "number", lambda one: self._kwh(one) * price))
        return tuple(found)

    def _feed(self, one: EnergyPoint) -> float:
        return feed(self.question, one.watts, one.fleet.gpus)

    def _tokens(self, one: EnergyPoint) -> float:
        return one.output_rate / one.watts

    def _metered(self, one: EnergyPoint) -> float:
        return one.output_rate / self._feed(one)

    def _joules(self, one: EnergyPoint) -> float:
        return self._feed(one) / one.rate

    def _kwh(self, one: EnergyPoint) -> float:
        """Return the kWh of a million output tokens at the meter."""
        return 1e6 / self._metered(one) / JOULES

    def warnings(self) -> Iterator[str]:
        if self.question.carbon is None and self.question.power_price is None:
            yield "--carbon 300g/kWh and --power-price 0.12/kWh give grams and dollars"
