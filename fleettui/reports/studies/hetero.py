"""Cheaper GPUs role by role as a study: what is refused by which gate, and what the accepted ones save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fleettui.domain.frontier import FrontierFound
from fleettui.domain.hetero import COMPUTE_LIMITED, LEAST_EFFICIENCY, RUNS, Allocation, Gate
from fleettui.domain.plan import Answer
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import units
from fleettui.reports.studies.disagg import UNLIKE
from fleettui.reports.studies.frontier import cautions, label, layout

GATES: dict[Gate, str] = {
    "": "accepted",
    "memory": "does not fit",
    "compute": "gate 1: compute-bound",
    "limits": "gate 2: limits",
    "efficiency": "gate 3: too few tokens",
}


def hetero_study(plan: Answer, found: FrontierFound, rows: Sequence[Allocation], *, cheaper: str) -> Study:
    """Return the study of `rows`, of which those without roles are what the others of their fleet are measured by."""
    story = _Story(found=found, rows=rows, cheaper=cheaper)
    return Study.of(
        plan.plan,
        title=f"{cheaper} for some roles",
        sentences=story.sentences(),
        tables=(story.allocations(), story.roles()),
        warnings=story.warnings(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Allocations, told in sentences and tables."""

    found: FrontierFound
    rows: Sequence[Allocation]
    cheaper: str

    def _plain(self, one: Allocation) -> Allocation:
        return next(other for other in self.rows if not other.roles and other.base == one.base)

    def _gate(self, one: Allocation) -> Gate:
        return one.refused_by(self._plain(one))

    @property
    def _mixed(self) -> list[Allocation]:
        return [one for one in self.rows if one.roles]

    def sentences(self) -> Iterator[str]:
        accepted = [one for one in self._mixed if not self._gate(one)]
        for one in sorted(accepted, key=lambda one: -one.efficiency(self._plain(one))):
            plain, verb = self._plain(one), "passes" if len(one.roles) == 1 else "pass"
            yield (
                f"{_named(one)} on {self.cheaper} {verb}: {units.dollars_per_hour(one.cost)} instead of "
                f"{units.dollars_per_hour(plain.cost)}, {units.percent(one.tokens / plain.tokens)} of the tokens, "
                f"{self._gain(one)} times as many for a dollar"
            )
        if not accepted:
            yield f"no role passes the gates with {self.cheaper}"
        for one in self._mixed:
            gate = self._gate(one)
            if gate:
                verb = "is" if len(one.roles) == 1 else "are"
                yield f"{_named(one)} on {self.cheaper} {verb} refused: {self._why(one, gate)}"

    def _why(self, one: Allocation, gate: Gate) -> str:
        if gate == "memory":
            return one.why
        if gate == "compute":
            role, ratio = max(one.slower, key=lambda pair: pair[1])
            return f"{role} would take {ratio:.2f} times as long by arithmetic alone"
        if gate == "limits":
            return "no rate keeps the limits"
        return f"a dollar buys {self._gain(one)} times as many tokens, {LEAST_EFFICIENCY} are asked for"

    def _gain(self, one: Allocation) -> str:
        """Return the efficiency that the last gate looks at, as simulated with its interval."""
        told = f"{one.decided_by(self._plain(one)):.2f}"
        if one.gain is None or one.gain.low is None or one.gain.high is None:
            return told
        return f"{told} [{one.gain.low:.2f}, {one.gain.high:.2f}]"

    def allocations(self) -> StudyTable:
        """Return the table of allocations, in the order of the fleets and of the roles that are swapped."""
        ends = ("simulated", "low", "high") if any(one.gain for one in self.rows) else ()
        also = f"; simulated: efficiency in {RUNS} runs, each at its highest rate, with its 95 % interval" * bool(ends)
        return table_of(
            f"roles on {self.cheaper}, by formula",
            self.rows,
            ("fleet", "text", lambda one: label(one.base.architecture)),
            ("cheaper", "text", lambda one: " + ".join(one.roles) or "none"),
            ("cost_per_hour", "dollars per hour", lambda one: one.cost),
            ("spend_ratio", "number", lambda one: round(one.spend_ratio(self._plain(one)), 3)),
            ("tokens", "number", lambda one: round(one.tokens)),
            ("efficiency", "number", lambda one: round(one.efficiency(self._plain(one)), 3)),
            *((name, "number", partial(_end, name=name)) for name in ends),
            ("it_is", "text", lambda one: GATES[self._gate(one)] if one.roles else "the base"),
            note="spend_ratio: the base's dollars over these; efficiency: tokens for a dollar, too; tokens/s at "
            f"the highest rate that keeps every limit, with as many replicas{also}",
        )

    def roles(self) -> StudyTable:
        """Return the table of what each swapped role takes longer by arithmetic alone, and the fleets' latencies."""
        rows = [(one, role, ratio) for one in self._mixed for role, ratio in one.slower if len(one.roles) == 1]
        return table_of(
            "what limits each role",
            rows,
            ("fleet", "text", lambda row: layout(row[0].base)),
            ("role", "text", lambda row: row[1]),
            ("slower", "number", lambda row: round(row[2], 3)),
            ("bound", "text", lambda row: "arithmetic" if row[2] > COMPUTE_LIMITED else "memory or links"),
            ("ttft", "seconds", lambda row: row[0].ttft or None),
            ("tpot", "seconds", lambda row: row[0].tpot or None),
            note=f"slower: times as long with the arithmetic of {self.cheaper} and all else of its own GPU; above "
            f"{COMPUTE_LIMITED} it keeps its GPU",
        )

    def warnings(self) -> Iterator[str]:
        undecided = [one for one in self._mixed if one.undecided]
        if undecided:
            named = ", ".join(_named(one) for one in undecided)
            yield f"{named}: the interval of its tokens for a dollar holds {LEAST_EFFICIENCY}"
        yield UNLIKE
        yield from cautions(one.base for one in self.rows)


def _named(one: Allocation) -> str:
    return f"{' and '.join(one.roles)} of {label(one.base.architecture)}"


def _end(one: Allocation, name: str) -> float | None:
    """Return the gain's value or an end of its interval, None where there is none."""
    found = None if one.gain is None else getattr(one.gain, "value" if name == "simulated" else name)
    return None if found is None else round(found, 3)
