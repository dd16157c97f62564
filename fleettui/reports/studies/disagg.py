"""Prefill and decode apart or together as a study: which is cheaper and why, where that changes, each fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fleettui.domain.disagg import DECODE_STEPS, PREFILL_STEPS, Axis, DisaggFigures, Disaggregated, Flip, Proof
from fleettui.domain.fleet import Pool
from fleettui.domain.plan import LEAST_RUNS, Answer
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, StudyTable, table_of
from fleettui.reports import confidence_text, fleet_text, units
from fleettui.reports.studies import subject as words
from fleettui.reports.studies.disagg_ratios import ratios
from fleettui.reports.studies.disagg_rows import APART, TOGETHER, Row, budgets, joined, tokens_a_step
from fleettui.reports.text_page import few_names

AUTO = "auto"


def _time(seconds: float) -> str:
    """Return a limit's time with three figures: flips stand close to what is asked.

    >>> _time(0.06), _time(1.0312)
    ('60 ms', '1.03 s')
    """
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


TOLD: Mapping[Axis, tuple[str, Callable[[float], str]]] = {
    "tpot": ("a TPOT limit", _time),
    "ttft": ("a TTFT limit", _time),
    "rate": ("a rate", words.rate),
    "link": ("links", units.bytes_per_second),
    "output": ("outputs", lambda value: f"{value:.2g} times as long"),
}
"""What is moved, in words, and its values."""
UNLIKE = "unlike GPUs pass caches on only where both lay them out alike: try it first"
MEASURED = "11 of 12 published comparisons come out as measured: try both before you buy"
SMALL = 0.02
"""Part of a fleet's cost below which what it loses is not told as a reason."""


def disagg_study(
    plan: Answer, question: Question, found: Disaggregated, link: float | None, *, searched: bool = False
) -> Study:
    """Return the study of both ways to a plan's need; `link` are the typed bytes per second of a replica's link.

    `searched` says whether it was looked for how long prompts may be that stay with decode.
    """
    story = _Story(plan=plan, question=question, found=found, searched=searched)
    handover = found.rows[0].fleet.handover
    typed = "" if link is None else f" --link {link / 1e9:g}GB/s"
    typed += " --overlap" if handover.parts > 1 else ""
    typed += "" if handover.sent else f" --first-token {handover.first_token}"
    typed += f" --conditional {handover.short or AUTO}" if handover.short or searched else ""
    return Study.of(
        plan.plan,
        kind="disagg",
        title=f"{plan.plan.called}: prefill and decode apart or together",
        question=f"disagg {plan.plan.handle}{typed}",
        sentences=story.sentences(),
        tables=(story.fleets(), story.flips(), story.parts(), *story.proofs(), *ratios(found)),
        warnings=story.warnings(),
    )


def pools(figures: DisaggFigures) -> str:
    """Return the layout of a disaggregated fleet: H100 tp4 x10 > A100 tp8 x4."""
    return joined(APART, figures.fleet.pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    """Both ways, told in sentences and tables; `plan` has the fleet that the question's own engine settings take."""

    plan: Answer
    question: Question
    found: Disaggregated
    searched: bool

    @property
    def best(self) -> DisaggFigures:
        return self.found.rows[0]

    def sentences(self) -> Iterator[str]:
        found, both = self.found, self.found.colocated
        by = f"{'as simulated' if found.proven else 'by formula'}{self._nominally}"
        (apart, together), told = found.costs, self._told(APART, found.apart, pools(self.best), self.best.cost)
        if both is None or together is None:
            yield f"disaggregated it holds at {told}; no fleet whose replicas do both does ({by})"
        else:
            other = self._told(TOGETHER, found.together, fleet_text.fleet(both.fleet), both.cost_per_hour)
            other += self._beside_asked()
            if abs(together - apart) < 1e-9 * apart:
                yield f"both ways cost the same: {told}; co-located {other} ({by})"
            elif together > apart:
                yield f"disaggregation pays: {told}, against {other} ({by})"
            else:
                yield f"co-located is cheaper: {other}, against {told} ({by})"
        yield from self._conditional()
        yield from self._unproven()
        yield from self._cheaper_by_formula()
        yield from self._reasons()
        yield from self._otherwise()
        by = "by formula, " if found.proven else ""
        yield from (f"{by}{sentence}" for one in found.flips if (sentence := flip_words(one)))

    def _beside_asked(self) -> str:
        """Return the token budget of the co-located fleet, and what the plan's own takes, where that is another."""
        own, pools = self.plan.answer, self._together
        if own is None or pools is None or budgets(pools) == budgets(own.fleet.pools):
            return ""
        asked = f"the plan's {budgets(own.fleet.pools)}: {own.gpus} GPUs"
        return f" (a token budget of {budgets(pools)}; {asked}, {units.dollars_per_hour(own.cost_per_hour)})"

    @property
    def _together(self) -> tuple[Pool, ...] | None:
        """The pools of the co-located fleet that is told, None where none holds."""
        if self.found.proven and self.found.together is not None:
            return self.found.together.pools
        return None if self.found.colocated is None else self.found.colocated.fleet.pools

    def _told(self, way: str, proof: Proof | None, fleet: str, cost: float) -> str:
        """Return a fleet with its dollars, that which holds in simulation where both ways were simulated."""
        if not self.found.proven or proof is None:
            return f"{units.dollars_per_hour(cost)}, {fleet}"
        return f"{units.dollars_per_hour(proof.cost)}, {joined(way, proof.pools)}"

    def _otherwise(self) -> Iterator[str]:
        """Yield that the formulas have the other way cheaper than simulations at what is asked, where they have."""
        found, both = self.found, self.found.colocated
        if both is None or not found.proven or all(one.pays == found.pays for one in found.flips):
            return
        apart, together = (units.dollars_per_hour(one) for one in (self.best.cost, both.cost_per_hour))
        yield (
            f"by formula {apart} apart against {together} together, the other way round than simulated: where the "
            "cheaper way changes below is by formula alone"
        )

    def _unproven(self) -> Iterator[str]:
        """Yield which way has a fleet by formula that was not found to hold in simulation."""
        ways = [(APART, self.found.apart), (TOGETHER, self.found.together)]
        failed = [way for way, proof in ways if proof is not None and proof.verdict != "pass"]
        if failed:
            yield f"not proven: of the fleets {' and '.join(failed)} no size that was simulated holds every limit"

    def _cheaper_by_formula(self) -> Iterator[str]:
        """Yield what became of a co-located fleet by formula that is cheaper than the one that is told."""
        both, told, tried = self.found.colocated, self.found.together, self.found.tried_together
        if both is None or told is None or both.cost_per_hour >= told.cost * (1.0 - 1e-9):
            return
        own = budgets(both.fleet.pools)
        at = f", {own} tokens a step," if own != budgets(told.pools) else ""
        fleet = f"{fleet_text.fleet(both.fleet)}{at} together costs {units.dollars_per_hour(both.cost_per_hour)}"
        if tried is None:
            yield f"by formula {fleet}: it was not simulated, which would take minutes"
        elif tried.verdict != "pass":
            yield f"by formula {fleet}: no size of it that was simulated holds every limit"
        else:
            larger = joined(TOGETHER, tried.pools)
            yield f"by formula {fleet}: as simulated it takes {larger}, {units.dollars_per_hour(tried.cost)}"

    def _conditional(self) -> Iterator[str]:
        """Yield which prompts stay with decode, where some do, and what they save by formula."""
        short, before = self.best.fleet.handover.short, self.found.passing_all
        if not short:
            yield from ["whatever short prompts stay with decode, it costs no less (by formula)"] * self.searched
            return
        part = f"prompts of up to {short:,} tokens stay with decode ({units.fraction(self.best.stays)} of requests)"
        if before is None:
            yield f"{part}; no fleet that passes all of them on holds (by formula)"
        else:
            told = f"{units.dollars_per_hour(self.best.cost)} instead of {units.dollars_per_hour(before)}"
            yield f"{part}: {told} where all are passed on (by formula)"

    def _reasons(self) -> Iterator[str]:
        """Yield what the disaggregated fleet pays for and does not use, where it is the dearer one."""
        lost, best = self.found.lost, self.best
        if self.found.pays or lost is None:
            return
        most = f"of {units.fraction(self.question.max_utilization)}"
        reasons = [
            (lost.idle_prefill, f"prefill {units.fraction(best.prefill_busy)} busy {most}"),
            (
                lost.idle_decode,
                f"decode {units.fraction(best.decode_busy)} busy {most}, {best.batch:.0f} sequences a batch",
            ),
            (lost.transfer, f"moving caches takes {units.seconds(best.transfer)} of TTFT"),
        ]
        told = [(cost, text) for cost, text in sorted(reasons, reverse=True) if cost > SMALL * best.cost]
        if told:
            yield "what it pays for and does not use: " + "; ".join(
                f"{text} ({units.dollars_per_hour(cost)})" for cost, text in told
            )
        else:
            yield "it loses nothing to idle pools or links: its replicas just read their weights for fewer sequences"

    def fleets(self) -> StudyTable:
        """Return the table of fleets, cheapest first, those of one type of layout by the pools' GPU types."""
        return table_of(
            "both ways, cheapest first",
            sorted(self._rows(), key=lambda row: row.cost),
            ("way", "text", lambda row: row.way),
            ("fleet", "text", lambda row: joined(row.way, row.pools)),
            ("tokens_a_step", "count", lambda row: tokens_a_step(row.pools[:1] if row.way == APART else row.pools)),
            ("gpus", "count", lambda row: row.gpus),
            ("cost_per_hour", "dollars per hour", lambda row: row.cost),
            ("ttft", "seconds", lambda row: row.ttft),
            ("tpot", "seconds", lambda row: row.tpot),
            ("proof", "text", lambda row: row.proof),
            note=f"{self._rank} of the worst pool; {APART}: prefill > decode; {TOGETHER}: replicas that do both, "
            f"at the best token budget, the tokens a step, and at the plan's{self._nominally}",
        )

    def _rows(self) -> Iterator[Row]:
        """Yield the fleets of both ways: the best of each as simulated where it was, the others by formula."""
        found, own = self.found, self.plan.answer
        for place, one in enumerate(found.rows):
            proof = None if place else found.apart
            yield Row.of_apart(one) if proof is None else Row.of_proof(APART, proof)
        both = None if found.colocated is None else Row.of_together(found.colocated)
        if found.together is not None:
            both = Row.of_proof(TOGETHER, found.together)
        if both is None:
            return
        yield both
        if own is not None and not own.shortfalls and budgets(own.fleet.pools) != budgets(both.pools):
            yield Row.of_together(own)

    def flips(self) -> StudyTable:
        """Return the table of inputs, and where the cheaper way changes as one of them moves."""
        return table_of(
            "where the cheaper way changes",
            self.found.flips,
            ("input", "text", lambda one: TOLD[one.axis][0].removeprefix("a ")),
            ("asked", "text", lambda one: TOLD[one.axis][1](one.asked)),
            ("cheaper", "text", lambda one: APART if one.pays else TOGETHER),
            ("changes_at_less", "text", lambda one: _value(one, one.below)),
            ("changes_at_more", "text", lambda one: _value(one, one.above)),
            ("looked_from", "text", lambda one: TOLD[one.axis][1](one.low)),
            ("looked_to", "text", lambda one: TOLD[one.axis][1](one.high)),
            note="nearest to what is asked, by formula and bisection, one input at a time",
        )

    def parts(self) -> StudyTable:
        """Return what each part of the disaggregated fleets does."""
        return table_of(
            "what each part does",
            self.found.rows,
            ("prefill_decode", "text", pools),
            ("prefill_busy", "share", lambda one: one.prefill_busy),
            ("decode_busy", "share", lambda one: one.decode_busy),
            ("link_busy", "share", lambda one: one.link_busy),
            ("batch", "number", lambda one: round(one.batch, 1)),
            ("wait", "seconds", lambda one: one.wait),
            ("transfer", "seconds", lambda one: one.transfer),
            ("link", "number", lambda one: round(one.fleet.links.each / 1e9, 3)),
            note=f"by formula; wait: {self._rank} of that for prefill; transfer: the mean of a prompt's cache; "
            f"link: GB/s of one replica, one way; {self._way}prefill steps take {PREFILL_STEPS} and decode steps "
            f"{DECODE_STEPS} of their kernels' time, as published servers' did",
        )

    def proofs(self) -> Iterator[StudyTable]:
        """Yield the table of what simulations made of the best fleet of each way, none where there are none."""
        rows = [(way, proof) for way, proof in ((APART, self.found.apart), (TOGETHER, self.found.together)) if proof]
        if rows:
            yield table_of(
                "as simulated",
                rows,
                ("way", "text", lambda row: row[0]),
                ("pools", "text", lambda row: joined(row[0], row[1].pools)),
                ("gpus", "count", lambda row: row[1].gpus),
                ("cost_per_hour", "dollars per hour", lambda row: row[1].cost),
                ("ttft", "seconds", lambda row: row[1].ttft.value),
                ("low", "seconds", lambda row: row[1].ttft.low),
                ("high", "seconds", lambda row: row[1].ttft.high),
                ("tpot", "seconds", lambda row: row[1].tpot.value),
                ("verdict", "text", lambda row: row[1].verdict),
                ("tried", "count", lambda row: row[1].tried),
                note=f"{self._rank} of the worst pool, of TTFT the ends of the 95 % interval of {LEAST_RUNS} runs; the "
                "smallest fleet of its make that holds: one replica fewer of a pool fails or breaks a limit"
                f"{self._nominally}",
            )

    def warnings(self) -> Iterator[str]:
        if self.found.left_out:
            yield f"left out, as their steps are known much worse: {few_names(self.found.left_out)}"
        if self.best.fleet.prefill.gpu != self.best.fleet.decode.gpu:
            yield UNLIKE
        if self.found.pays:
            yield MEASURED

    @property
    def _way(self) -> str:
        """How caches are passed on, where that is asked for."""
        handover = self.best.fleet.handover
        layered = f"caches leave in {handover.parts} layers, while their prompts are computed; "
        return (layered if handover.parts > 1 else "") + ("" if handover.sent else "decode sends the first token; ")

    @property
    def _nominally(self) -> str:
        return confidence_text.nominally(self.question.confidence)

    @property
    def _rank(self) -> str:
        return f"P{units.write_percentile(self.question.slo.percentile)}"


def flip_words(one: Flip) -> str:
    """Return where the cheaper way changes in a sentence, empty where it does not."""
    name, value = TOLD[one.axis]
    ends = [
        *([f"from {name} of {value(one.above)} on"] if one.above is not None else []),
        *([f"up to {name} of {value(one.below)}"] if one.below is not None else []),
    ]
    if not ends:
        return ""
    way = "co-located is cheaper" if one.pays else "disaggregation pays"
    return f"{way} {' and '.join(ends)}"


def _value(one: Flip, at: float | None) -> str:
    return "" if at is None else TOLD[one.axis][1](at)
