"""A backtest as a study: predicted against seen, what explains the gap, one correction, and the tests before it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

from fleettui.domain.backtest import STEP_TIMES, Figure, Fit, Row
from fleettui.domain.fleet import Pool, PoolProfile
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.study import Cell, Quantity, Study, StudyColumn, StudyTable
from fleettui.reports import observed, units
from fleettui.reports.studies import about as words

NORMAL = NormalDist().inv_cdf(0.975)
AS_WELL = NORMAL**2
"""By how much more two constants' misfits may differ before one is the better explanation."""
UNLIKELY = NormalDist().inv_cdf(0.99)
USUAL = 0.25
"""The error of a profile that names none."""
APART = 0.01
"""By how much a figure must differ, as a share, to tell two explanations apart."""
WORTH = 0.5
"""A constant that leaves more of the misfit than this is no correction."""
ALIKE = 0.02
"""By how much a constant may differ from a corrected one and still be it."""
BADGE = "backtest "
"""How the line begins that a plan keeps of a test of its hardware."""
CORRECTION = "correction"
SERIES = "backtests of this plan, newest first"


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """A plan with its fleet, the seconds of the `window`, the rows, and the fits; `probes` are what nobody looked at.

    `asked` is the question as typed, `earlier` the tests of the plan before, `engine_overhead` the seconds a step that
    the serving engine is taken to need, None where the fleet's profiles are not the catalogue's.
    """

    plan: Answer
    fleet: Candidate
    engine_overhead: float | None = None
    asked: str
    rows: tuple[Row, ...]
    probes: tuple[Figure, ...]
    fits: tuple[Fit, ...]
    earlier: tuple[Study, ...] = ()

    @cached_property
    def agrees(self) -> bool:
        """Whether every figure was seen where it was predicted."""
        return all(map(_inside, self.rows))

    @cached_property
    def ranked(self) -> list[Fit]:
        """The fits, the likeliest first: by what they leave, and by how far they are from the profile's own error.

        Two constants may move every figure alike; then the one that needs the smaller factor is the likelier.
        """
        usual = math.log1p(self.fleet.model_error or USUAL) / NORMAL
        return sorted(self.fits, key=lambda fit: fit.misfit + (math.log(fit.factor.value) / usual) ** 2)

    @cached_property
    def explained(self) -> bool:
        """Whether what the likeliest constant leaves is no more than chance."""
        return self.ranked[0].misfit <= _most(len(self.rows) - 1)

    @cached_property
    def equals(self) -> list[Fit]:
        """The constants that what was seen does not tell from the likeliest."""
        best, *others = self.ranked
        return [one for one in others if self.explained and one.misfit <= best.misfit + AS_WELL]

    @cached_property
    def chosen(self) -> Fit | None:
        """The constant to correct; None where nothing is to be corrected, or none would do."""
        if self.agrees:
            return None
        before = sum((math.log(1.0 + row.gap) / row.error) ** 2 for row in self.rows)
        return self.ranked[0] if self.ranked[0].misfit <= WORTH * before else None


def backtest_study(found: Backtest) -> Study:
    """Return the study of a backtest, ready to be kept with its plan."""
    name = found.plan.plan.name or found.plan.plan.handle
    return Study(
        kind="backtest",
        title=f"backtest of {name}: what was predicted, and what was seen",
        question=found.asked,
        plan=found.plan.plan.id,
        seed=found.plan.plan.seed,
        sentences=tuple(_sentences(found)),
        tables=tuple(_tables(found)),
        warnings=tuple(_warnings(found)),
    )


def _most(freedom: int) -> float:
    """Return what a sum of so many squares of standard normal numbers exceeds once in a hundred (Wilson, Hilferty)."""
    if freedom < 1:
        return math.inf
    ninth = 2.0 / (9.0 * freedom)
    return float(freedom * (1.0 - ninth + UNLIKELY * math.sqrt(ninth)) ** 3)


def _inside(row: Row) -> bool:
    return abs(math.log(1.0 + row.gap)) <= NORMAL * row.error


def _sentences(found: Backtest) -> Iterator[str]:
    if found.agrees:
        gaps = ", ".join(f"{observed.words(row.figure)} {_signed(row.gap)}" for row in found.rows)
        yield f"the prediction holds: what was seen is within chance of it ({gaps})"
        return
    gaps = ", ".join(
        f"{observed.words(row.figure)} {_signed(row.gap)}{' (chance)' if _inside(row) else ''}" for row in found.rows
    )
    yield f"seen against predicted: {gaps}"
    best = found.ranked[0]
    left, where = _left(best, found.rows)
    if not found.explained:
        yield f"no one constant explains it; {_factor(best)} comes nearest and leaves {where} {_signed(left)} off"
    elif len(found.rows) == 1:
        yield "one figure cannot tell constants apart: any of those below explains it; observe another two"
        return
    else:
        yield f"{_factor(best)} explains it; the most that is left is {_signed(left)}, at {where}"
    for other in found.equals:
        yield _telling(found, best, other)
    if found.chosen is not None:
        yield _correct(found, found.chosen)


def _factor(fit: Fit) -> str:
    most = ", the most that is tried," if fit.bounded else ""
    low, high = fit.factor.low, fit.factor.high
    return f"{fit.constant} x{fit.factor.value:.3g}{most} [{low:.3g}, {high:.3g}]"


def _telling(found: Backtest, best: Fit, other: Fit) -> str:
    """Return by which figure two constants that explain the same could be told apart."""
    start = len(found.rows)
    far = [abs(math.log(one / two)) for one, two in zip(best.figures[start:], other.figures[start:], strict=True)]
    at = max(range(len(far)), key=far.__getitem__)
    explains = f"{_factor(other)} explains it as well"
    if far[at] < APART:
        return f"{explains}: nothing that can be seen at this load tells them apart; test again at another"
    probe, one, two = found.probes[at], best.figures[start + at], other.figures[start + at]
    values = f"{observed.value(probe, one)} with the first, {observed.value(probe, two)} with this"
    return f"{explains}, if less likely: {observed.name(probe)} would tell, {values}"


def _correct(found: Backtest, fit: Fit) -> str:
    """Return what to do about a constant."""
    if fit.constant == "arrival rate":
        return f"correction: plan for {words.rate(found.plan.demand.rate * fit.factor.value)}"
    pools = found.fleet.fleet.pools
    changes = "; ".join(f"{name} {was} -> {new}" for _, name, was, new in _changes(pools[:1], fit))
    more = "" if len(pools) == 1 else f", and the same of {len(pools) - 1} more"
    text = f"correction: {changes} in the profile of pool {pools[0].name}{more}"
    if fit.constant != "base step time" or len(pools) > 1 or found.engine_overhead is None:
        return text
    overhead = found.engine_overhead + pools[0].profile.base_step_time * (fit.factor.value - 1.0)
    return f"{text}, or plan with --engine-overhead {_constant('base_step_time', overhead)}" if overhead > 0 else text


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _left(fit: Fit, rows: Sequence[Row]) -> tuple[float, str]:
    """Return by how much a fit misses the figure that it misses most, and which that is."""
    pairs = zip(rows, fit.figures[: len(rows)], strict=True)
    missed = [(row.seen.value / value - 1.0, observed.name(row.figure)) for row, value in pairs]
    return max(missed, key=lambda one: abs(one[0]))


def _signed(share: float) -> str:
    return f"{'-' if share < 0 else '+'}{units.percent(abs(share))}"


def _tables(found: Backtest) -> Iterator[StudyTable]:
    running = [row for row in found.rows if row.figure.metric == "running"]
    latencies = [row for row in found.rows if row not in running]
    if latencies:
        yield _against("latencies, predicted against seen", latencies, "seconds")
    if running:
        yield _against("sequences in service, predicted against seen", running, "number")
    if not found.agrees:
        yield _explanations(found)
    if found.chosen is not None:
        yield _correction(found, found.chosen)
    if found.earlier:
        yield _series(found)


def _against(title: str, rows: Sequence[Row], quantity: Quantity) -> StudyTable:
    names = ("predicted", "low", "high", "seen", "from", "to")
    columns = (
        StudyColumn(name="figure"),
        *(StudyColumn(name=name, quantity=quantity) for name in names),
        StudyColumn(name="gap", quantity="share"),
    )
    cells = tuple(
        (
            observed.name(row.figure),
            *(getattr(band, end) for band in (row.predicted, row.seen) for end in ("value", "low", "high")),
            row.gap,
        )
        for row in rows
    )
    return StudyTable(title=title, columns=columns, rows=cells, note="low, high, from, to: ends of 95 % intervals")


def _explanations(found: Backtest) -> StudyTable:
    columns = (
        StudyColumn(name="constant"),
        *(StudyColumn(name=name, quantity="number") for name in ("factor", "low", "high", "misfit")),
        StudyColumn(name="left", quantity="share"),
        StudyColumn(name="left_at"),
        StudyColumn(name="explains"),
    )
    rows = tuple(
        (
            fit.constant,
            *(round(end, 3) for end in (fit.factor.value, fit.factor.low, fit.factor.high)),
            round(fit.misfit, 1),
            *_left(fit, found.rows),
            _word(found, fit),
        )
        for fit in found.ranked
    )
    return StudyTable(
        title="what would explain it, one constant at a time",
        columns=columns,
        rows=rows,
        note="factor on the constant as it is; misfit: squares in units of the errors; left: of the figure missed most",
    )


def _word(found: Backtest, fit: Fit) -> str:
    if fit is found.ranked[0]:
        return "likeliest" if found.explained else "nearest"
    return "as well" if fit in found.equals else "no"


def _correction(found: Backtest, fit: Fit) -> StudyTable:
    columns = (
        StudyColumn(name="hardware"),
        StudyColumn(name="constant"),
        StudyColumn(name="factor", quantity="number"),
        StudyColumn(name="was"),
        StudyColumn(name="is"),
    )
    rows: list[tuple[Cell, ...]] = []
    if fit.constant == "arrival rate":
        rate = found.plan.demand.rate
        new = words.rate(rate * fit.factor.value)
        rows.append(("", fit.constant, _short(fit.factor.value), words.rate(rate), new))
    for hardware, name, was, new in _changes(found.fleet.fleet.pools, fit):
        rows.append((hardware, name, _short(fit.factor.value), was, new))
    return StudyTable(title=CORRECTION, columns=columns, rows=tuple(dict.fromkeys(rows)))


def _changes(pools: Sequence[Pool], fit: Fit) -> Iterator[tuple[str, str, str, str]]:
    """Yield (hardware, field, what it was, what it is) of what a fit changes in the pools' profiles."""
    fields = ("kv_blocks",) if fit.constant == "KV blocks" else STEP_TIMES.get(fit.constant, ())
    for pool in pools:
        for name in fields:
            was = getattr(pool.profile, name)
            yield hardware_of(pool), name, _constant(name, was), _constant(name, was * fit.factor.value)


def hardware_of(pool: Pool) -> str:
    """Return what a pool runs on, as the correction table names it."""
    return f"{pool.gpu}/{pool.model}/{pool.dtype}/tp{pool.tp}"


def badge(study: Study, pool: Pool) -> str:
    """Return what a kept backtest says to a plan with this `pool`, whose hardware it has tested, in a line."""
    head = f"{BADGE}{study.handle} ({study.created[:10]}) of {hardware_of(pool)}: "
    corrected = (row for table in study.tables if table.title == CORRECTION for row in table.rows)
    rows = [row for row in corrected if row[0] in ("", hardware_of(pool))]
    if not rows:
        return head + study.sentences[0]
    seen = ", ".join(f"{name} x{factor:.3g}" for _, name, factor, _, _ in rows)
    changed = [(str(name), str(new)) for hardware, name, _, _, new in rows if hardware]
    if not changed:
        return f"{head}{seen} was seen"
    has = all(math.isclose(getattr(pool.profile, name), _read(name, new), rel_tol=ALIKE) for name, new in changed)
    return f"{head}{seen} was seen, which this plan {'has in it' if has else 'does not have in it'}"


def _read(name: str, text: str) -> float:
    return float(text) if name == "kv_blocks" else units.DURATION.parse(text)


def _constant(name: str, value: float) -> str:
    """Return a profile's constant as a fleet's file takes it."""
    if name == "kv_blocks":
        return f"{round(value)}"
    assert name in PoolProfile.__slots__, f"{name} is no constant of a profile"
    return f"{value * 1e6:.4g}us" if value < 1e-3 else f"{value * 1e3:.4g}ms"


def _series(found: Backtest) -> StudyTable:
    columns = (
        StudyColumn(name="made", quantity="date"),
        StudyColumn(name="study"),
        StudyColumn(name="asked"),
        StudyColumn(name="found"),
    )
    rows = tuple((one.created[:10], one.handle, one.question, _conclusion(one)) for one in found.earlier)
    return StudyTable(title=SERIES, columns=columns, rows=rows)


def _conclusion(study: Study) -> str:
    """Return what an earlier test came to, in a few words."""
    for table in study.tables:
        if table.title == CORRECTION:
            return ", ".join(dict.fromkeys(f"{row[1]} x{row[2]:.3g}" for row in table.rows))
    return study.sentences[0]


def _warnings(found: Backtest) -> Iterator[str]:
    proof = found.fleet.evidence
    if proof is not None and (proof.method, proof.verdict) == ("formula", "fail"):
        yield "the fleet as predicted cannot keep up: its figures grow for as long as it is simulated"
    error = found.fleet.model_error
    chosen = found.chosen
    if chosen is not None and error and chosen.constant in STEP_TIMES:
        inside = abs(chosen.factor.value - 1.0) <= error
        yield (
            f"the profile is not calibrated, +-{units.percent(error)} by its own account: "
            f"x{chosen.factor.value:.3g} is {'inside' if inside else 'outside'} that"
        )
