"""Architectures within a number of GPUs as a study: which serves most under each TTFT bound, and the fronts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fleettui.architectures import ARCHITECTURES
from fleettui.domain.fleet import counted
from fleettui.domain.frontier import FrontierFound, FrontierPoint, FrontierProof, front
from fleettui.domain.plan import Answer
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import fleet_text, units

FALLEN = 0.9
"""Share of an architecture's tokens/s under the loose bound below which it is told to fall under a tight one."""


def frontier_study(plan: Answer, found: FrontierFound) -> Study:
    """Return the study of architectures for a plan's requests."""
    story = _Story(found=found)
    return Study.of(
        plan.plan,
        title=f"architectures within {counted(found.asked.gpus)}",
        sentences=story.sentences(),
        tables=(story.best(), *story.fronts(), *story.proofs()),
        warnings=story.warnings(),
    )


def layout(point: FrontierPoint) -> str:
    """Return a point's fleet in words: H100 tp4 x10 > A tp2dp4 + F ep8, x3."""
    if point.together is not None:
        return f"{fleet_text.fleet(point.together)}, {point.together.pools[0].token_budget} tokens a step"
    assert point.apart is not None, "a point has one of two fleets"
    architecture, (prefill, decode) = ARCHITECTURES.named(point.architecture), point.apart.pools
    assert architecture.then is not None, "a fleet of two pools has two sides"
    first, then = architecture.first.told(prefill, ""), architecture.then.told(decode, point.layout)
    return f"{first} x{prefill.replicas} > {then} x{decode.replicas}"


def label(architecture: str) -> str:
    """Return what tables call an architecture."""
    return ARCHITECTURES.named(architecture).label


def cautions(points: Iterable[FrontierPoint]) -> Iterator[str]:
    """Yield what a reader of the figures of these points' architectures must know."""
    shown = {one.architecture for one in points}
    yield from dict.fromkeys(one.caution for one in ARCHITECTURES if one.caution and one.name in shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """What was found, told in sentences and tables."""

    found: FrontierFound

    @property
    def _limits(self) -> str:
        tpot = self.found.tpot
        return "" if math.isinf(tpot) else f" and TPOT {units.limit(tpot)} ({1.0 / tpot:.3g} tokens/s for each user)"

    def _best(self, bound: float) -> list[FrontierPoint]:
        """Return the best of each architecture under a bound, most tokens/s first, as simulated where that was done."""
        points = (self._proven(name, bound) or self.found.best(name, bound) for name in ARCHITECTURES.names)
        held = (one for one in points if one is not None and not self._failed(one.architecture, bound))
        return sorted(held, key=lambda one: (-one.tokens, one.cost))

    def _proof(self, name: str, bound: float) -> FrontierProof | None:
        alike = (one for one in self.found.proofs if (one.point.architecture, one.bound) == (name, bound))
        return next(alike, None)

    def _proven(self, name: str, bound: float) -> FrontierPoint | None:
        proof = self._proof(name, bound)
        return proof.point if proof is not None and proof.holds else None

    def _failed(self, name: str, bound: float) -> bool:
        proof = self._proof(name, bound)
        return proof is not None and not proof.holds

    def sentences(self) -> Iterator[str]:
        found = self.found
        by = "as simulated" if found.proofs else "by formula"
        for bound in reversed(found.bounds):
            best = self._best(bound)
            if not best:
                yield f"under TTFT {units.limit(bound)}{self._limits} no architecture holds at any rate ({by})"
                continue
            first, *others = best
            told = "".join(
                f"; {label(one.architecture)} {units.percent(one.tokens / first.tokens)} of that" for one in others
            )
            yield (
                f"under TTFT {units.limit(bound)}{self._limits} {label(first.architecture)} serves most: "
                f"{units.short_count(first.tokens)} tokens/s with {layout(first)}{told} ({by})"
            )
        yield from self._crossover()
        left = f"; {len(found.left_out)} AFD layouts do not hold the model" if found.left_out else ""
        yield (
            f"{found.scored:,} fleets were scored over {len(found.rates)} rates up to "
            f"{units.per_second(found.rates[-1])} requests/s{left}"
        )

    def _crossover(self) -> Iterator[str]:
        """Yield whether the best architecture changes between the tightest bound and the loosest."""
        if len(self.found.bounds) < 2:
            return
        tight, loose = (self._best(bound) for bound in (self.found.bounds[0], self.found.bounds[-1]))
        if tight and loose and tight[0].architecture != loose[0].architecture:
            now, then = (label(one[0].architecture) for one in (tight, loose))
            yield f"the tighter bound turns it: {now} instead of {then}"
            return
        before = {one.architecture: one.tokens for one in loose}
        fell = [one for one in tight if one.tokens < FALLEN * before.get(one.architecture, 0.0)]
        if fell:
            told = ", ".join(
                f"{label(one.architecture)} to {one.tokens / before[one.architecture]:.0%}" for one in fell
            )
            yield f"the tighter bound turns nothing, but takes tokens/s: {told}"

    def best(self) -> StudyTable:
        """Return the table of the best fleet of each architecture under each bound, by formula."""
        rows = list[tuple[float, FrontierPoint]]()
        for bound in reversed(self.found.bounds):
            points = filter(None, (self.found.best(name, bound) for name in ARCHITECTURES.names))
            rows += [(bound, one) for one in sorted(points, key=lambda one: -one.tokens)]
        return table_of(
            f"most tokens/s within {counted(self.found.asked.gpus)}, by formula",
            rows,
            ("ttft_bound", "seconds", lambda row: row[0]),
            ("architecture", "text", lambda row: label(row[1].architecture)),
            ("tokens", "number", lambda row: round(row[1].tokens)),
            ("user", "number", lambda row: round(row[1].speed, 1)),
            ("ttft", "seconds", lambda row: row[1].ttft),
            ("tpot", "seconds", lambda row: row[1].tpot),
            ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
            ("per_million", "number", lambda row: round(row[1].dollars_per_million, 2)),
            ("fleet", "text", lambda row: layout(row[1])),
            note=f"output tokens/s, and those that a user sees at P{units.write_percentile(self.found.percentile)}; "
            "per_million: US dollars for a million of them",
        )

    def fronts(self) -> Iterator[StudyTable]:
        """Yield the front of tokens/s against a user's under each bound, over all architectures."""
        for bound in reversed(self.found.bounds):
            rows = front(self.found.points, bound)
            yield table_of(
                f"most tokens/s at each speed, TTFT {units.limit(bound)}",
                rows,
                ("architecture", "text", lambda one: label(one.architecture)),
                ("tokens", "number", lambda one: round(one.tokens)),
                ("user", "number", lambda one: round(one.speed, 1)),
                ("ttft", "seconds", lambda one: one.ttft),
                ("per_million", "number", lambda one: round(one.dollars_per_million, 2)),
                ("fleet", "text", layout),
                note="no other fleet has as many tokens/s for users that see as many, by formula",
            )

    def proofs(self) -> Iterator[StudyTable]:
        """Yield the table of what simulations show, none where there are none."""
        if not self.found.proofs:
            return
        yield table_of(
            "as simulated",
            self.found.proofs,
            ("ttft_bound", "seconds", lambda one: one.bound),
            ("architecture", "text", lambda one: label(one.point.architecture)),
            ("tokens", "number", lambda one: round(one.point.tokens)),
            ("ttft", "seconds", lambda one: one.ttft.value),
            ("high", "seconds", lambda one: one.ttft.high),
            ("tpot", "seconds", lambda one: one.tpot.value),
            ("holds", "text", lambda one: "yes" if one.holds else "no"),
            ("tried", "count", lambda one: one.tried),
            ("fleet", "text", lambda one: layout(one.point)),
            note=f"the highest rate that holds in {self.found.proofs[0].runs} runs; high: of TTFT's 95 % interval",
        )

    def warnings(self) -> Iterator[str]:
        failed = [one for one in self.found.proofs if not one.holds]
        if failed:
            told = ", ".join(f"{label(one.point.architecture)} at {units.limit(one.bound)}" for one in failed)
            yield f"by simulation none of the rates that were tried holds of {told}"
        yield from cautions(self.found.points)
