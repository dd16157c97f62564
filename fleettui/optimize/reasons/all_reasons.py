"""All reasons of one plan, put together: sentences first, most telling first, then the tables that hold the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fleettui.domain.plan import Candidate
from fleettui.domain.reasons import Reasons
from fleettui.domain.remedy import is_simulated, keeps_constraints
from fleettui.errors import InputError
from fleettui.optimize.reasons import (
    choices,
    compression_saving,
    failing,
    flips,
    gamma_of_split,
    limits,
    marginal,
    neighbours,
    price_lines,
    relaxations,
    seen_relaxations,
    split_saving,
)
from fleettui.optimize.reasons.inputs import Ground, hardware, words
from fleettui.optimize.reasons.set_aside import with_aside

Note = Callable[[str], None]
"""Is told what is worked out next."""


def reasons(ground: Ground, *, context: int, searched: bool, note: Note, decided: Reasons | None = None) -> Reasons:
    """Return everything behind a plan's numbers; what is `decided` by simulations is worked out where it is not given.

    `context` is the longest request served, in tokens. A fleet that somebody wrote down was not `searched` for: it has
    no rivals, so prices and relaxations say nothing of it.
    """
    answer = ground.kept.answer
    if decided is None:
        decided = deciding(ground, searched=searched, note=note)
    if answer is None:
        return decided + _infeasible(ground, context, note)
    found = _of_fleet(ground, answer, note, searched=searched)
    return found + _among_rivals(ground, answer, decided, note) if searched else found


def deciding(ground: Ground, *, searched: bool, note: Note) -> Reasons:
    """Return those reasons that name fleets to prove: prices at which others win, or what would make it feasible."""
    answer = ground.kept.answer
    if answer is None:
        return _relaxed(ground, note)
    return _of_prices(ground, answer, note) if searched else Reasons()


def _of_fleet(ground: Ground, answer: Candidate, note: Note, *, searched: bool) -> Reasons:
    note("limits, and one replica more or fewer")
    standing = limits.limits(ground, ground.standing(answer))
    beside = neighbours.neighbours(ground, answer)
    slo, wished = ground.question.slo, ground.question.confidence if searched else None
    because = _because(wished, searched=searched)
    return Reasons(
        sentences=(
            *neighbours.sentences(answer, beside, standing, because, ground.kept.stock),
            *neighbours.gains(beside, slo),
        ),
        tables=(*limits.tables(standing), neighbours.table(beside, slo, wished)),
    )


def _because(wished: float | None, *, searched: bool) -> str:
    """Return why a fleet may be larger than the formulas ask for; `wished` is how sure it is to be, if that is said."""
    if not searched:
        return neighbours.AS_GIVEN
    return neighbours.AS_SIMULATED if wished is None else f"{100 * wished:.3g}% sure was asked for"


def _among_rivals(ground: Ground, answer: Candidate, decided: Reasons, note: Note) -> Reasons:
    note("plans that fail")
    fails = failing.failing(ground, answer)
    found = Reasons(
        sentences=failing.sentences(fails, answer),
        tables=(failing.table(fails, answer),) if fails else (),
    )
    return found + decided + _of_split(ground, answer, note) + _of_compression(ground, answer, note)


def _of_compression(ground: Ground, answer: Candidate, note: Note) -> Reasons:
    if not compression_saving.is_asked(ground, answer.fleet):
        return Reasons()
    note("what compression saves")
    savings = compression_saving.compression_saving(ground, answer.fleet)
    found = Reasons(
        sentences=tuple(compression_saving.sentences(savings, ground.question.compressor)),
        tables=(compression_saving.table(savings),),
    )
    note("the best gamma at each split")
    splits = gamma_of_split.gamma_of_split(ground, answer.fleet)
    if len(splits) < 2:
        return found
    return found + Reasons(sentences=tuple(gamma_of_split.sentences(splits)), tables=(gamma_of_split.table(splits),))


def _of_split(ground: Ground, answer: Candidate, note: Note) -> Reasons:
    note("what a split saves")
    savings = split_saving.split_saving(ground, answer.fleet)
    found = Reasons(
        sentences=split_saving.sentences(savings, answer.fleet, ground.question),
        tables=(split_saving.table(savings, answer.fleet, ground.question),),
    )
    divided = answer if len(answer.fleet.pools) > 1 else _best_split(ground)
    if divided is None:
        return found
    instead = "" if divided is answer else words(divided)
    if instead:
        verdict, failed = ground.verdict(divided.fleet), split_saving.failed_elsewhere(ground, divided)
        beside = split_saving.as_ranked(answer, divided, savings, verdict, failed)
        found += Reasons(sentences=(beside,) if beside else ())
    note("what moving requests across the split does")
    try:
        across = marginal.boundaries(ground, divided)
    except InputError:  # another fleet than the answer may not stand under the demand that the answer has
        return found
    return found + Reasons(sentences=marginal.sentences(across, instead), tables=(marginal.table(across, instead),))


def _best_split(ground: Ground) -> Candidate | None:
    """Return the cheapest fleet of several pools that holds as simulations correct the formulas, or was seen to.

    Much less is not known of it than of the answer, and it did not fail as simulated, be it in a study of the plan. It
    keeps every limit on money, power and stock.
    """
    best, asked = ground.kept.answer, ground.question
    found = [one for one in (*ground.passed, *ground.ranked(asked)) if keeps_constraints(one, asked)]
    known = (one for one in found if best is None or not asked.sets_aside(one, best))
    split = [one for one in known if len(one.fleet.pools) > 1 and one.may_hold and ground.verdict(one.fleet) != "fail"]
    return min(split, key=lambda one: one.cost_per_hour, default=None)


def _of_prices(ground: Ground, answer: Candidate, note: Note) -> Reasons:
    if ground.question.objective != "cost":
        return Reasons(sentences=(f"prices do not decide: the plan has least {ground.question.objective}",))
    note("prices at which another fleet is cheaper")
    formula = reference = ground.find(ground.question)
    proven = price_lines.is_proven(answer, ground)
    if ground.sized is not None:
        formula = reference = replace(formula, answer=answer)
    elif proven:
        reference = replace(formula, answer=answer)
    found = with_aside(flips.flips_finer(ground, reference), ground)
    hoped = () if ground.hopeful is None or not proven else flips.flips(ground.hopeful, reference)
    warnings = []
    first = formula.answer
    is_other = first is not None and hardware(first) != hardware(answer)
    if first is not None and is_other and (not proven or price_lines.is_put_aside(first, answer, ground)):
        cheapest = f"{words(first)} is cheapest, not the plan's fleet"
        warnings.append(
            f"by formula {cheapest}: prices leave such fleets out"
            if proven
            else f"prices are compared by formula, where {cheapest}"
        )
    unsure = () if reference.answer is None else flips.less_known(ground, reference.answer)
    if unsure:
        warnings.append(f"prices leave out {', '.join(unsure)}: too little is known of how many would do")
    return Reasons(
        sentences=flips.sentences(found, reference.answer, ground.kept.why, hoped, left_out=bool(unsure)),
        tables=(flips.table(found),) if found else (),
        warnings=tuple(warnings),
        to_prove=flips.to_prove((*found, *hoped)),
        decides=flips.decides((*found, *hoped)),
    )


def _relaxed(ground: Ground, note: Note) -> Reasons:
    note("the smallest relaxation of each constraint")
    found = seen_relaxations.as_simulated(ground, relaxations.relaxations(ground))
    return Reasons(
        sentences=relaxations.sentences(found, ground.kept.why),
        tables=relaxations.tables(found),
        to_prove=relaxations.to_prove(found),
    )


def _infeasible(ground: Ground, context: int, note: Note) -> Reasons:
    note("other hardware, precision or context")
    said = Reasons(sentences=choices.sentences(choices.changes(ground, context)))
    said += Reasons(sentences=tuple(one for one in choices.of_usual_gpus(ground.kept.why) if not is_simulated(one)))
    fails = failing.failing(ground, None)
    return said + Reasons(
        sentences=failing.sentences(fails, None),
        tables=(failing.table(fails, None),) if fails else (),
    )
