"""How sure it is that a fleet suffices, in words."""

from __future__ import annotations

import math

from fleettui.domain.confidence import AS_MUCH, LIKELY, Confidence, SureFleet
from fleettui.domain.decisive import Decisive
from fleettui.domain.fleet import counted
from fleettui.domain.fleet_words import fleet_words
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.reports import range_words, units
from fleettui.reports.fleet_text import told_from
from fleettui.reports.verdict_words import ABOUT, NOMINAL, is_too_few

UNTOLD = (
    "how sure it is cannot be told, as clients that wait for each answer send less where steps take longer than "
    "predicted"
)
"""What is said of how sure a fleet is in a closed loop, whose rate follows from the speeds."""
STEP_TIMES = "step times, not waits, within the model's error"
"""Over what it is told how sure a fleet is."""
ROUNDING = 100.0 * AS_MUCH


def is_nominal(sure: Confidence | None) -> bool:
    """Return whether a fleet suffices in too few of the cases to be called enough without a word more."""
    return sure is not None and is_too_few(sure.holds)


def missed(wished: float | None, unmet: str) -> str:
    """Return how sure no fleet is that was to be; empty where nothing is `unmet`.

    >>> missed(0.9, "no fleet of any size is 90% sure"), missed(0.9, "")
    (', not 90% sure', '')
    """
    return f", not {surely(wished)} sure" if unmet and wished is not None else ""


def is_untold(best: Candidate, question: Question) -> bool:
    """Return whether it cannot be told how sure a fleet is though its speeds may be others: in a closed loop."""
    return question.demand.form == "concurrency" and question.preset != "paper" and best.model_error > 0


def caveat(sure: Confidence | None, best: Candidate, question: Question) -> str:
    """Return why a fleet that passes does so at nominal speed only; empty where it passes without a word more."""
    if is_untold(best, question):
        return UNTOLD
    return told(sure, best) if is_nominal(sure) else ""


def over(sure: Confidence | None, best: Candidate) -> str:
    """Return over what it is told how sure a fleet is, and that no simulation saw it, which a reader must be told once.

    What the formulas are off by is no part of it; neither are waits.
    """
    if sure is None:
        return ""
    by_formula = "by formula, " if best.simulation is None else ""
    return f"{by_formula}{over_all(sure)}"


def over_all(sure: Confidence, *, waits: str = "") -> str:
    """Return over what it is told how sure a fleet is; behind waits, which are no part of it, stands what these are."""
    *others, last = (STEP_TIMES.replace("waits", f"waits{waits}"), *map(range_words.span, sure.ranges))
    return f"over {', '.join(others)}{' and ' if others else ''}{last}"


def told(sure: Confidence | None, best: Candidate) -> str:
    """Return how sure a fleet is, and where it is less, what suffices in nine cases of ten."""
    if sure is None:
        return ""
    if sure.is_likely:
        return holding(sure, best)
    return ", ".join(filter(None, (holding(sure, best), _where(sure, best), for_more(sure, best))))


def _where(sure: Confidence, best: Candidate) -> str:
    """Return in which pool all the doubt is: the only one of several that takes more replicas to be as good as sure."""
    pools, replicas = best.fleet.pools, sure.replicas
    if replicas is None or not 1 < len(pools) == len(replicas):
        return ""
    more = [pool.name for pool, needed in zip(pools, replicas, strict=True) if needed > pool.replicas]
    return f"{more[0]} decides" if len(more) == 1 else ""


def holding(sure: Confidence, best: Candidate) -> str:
    """Return how sure it is that a fleet's GPUs suffice, about so where that is by formula."""
    about = "~" if best.simulation is None else ""
    return f"{about}{surely(sure.holds)} sure that {counted(best.gpus)} suffice{'s' * (best.gpus == 1)}"


def unsure(wished: float) -> str:
    """Return what is said of a cheaper fleet beside one that is sized to be so sure.

    >>> unsure(0.9)
    'sized for the step times predicted, not to be 90% sure'
    """
    return f"sized for the step times predicted, not to be {units.percent(wished)} sure"


def nominally(wished: float | None) -> str:
    """Return what is said of fleets at nominal speed beside a plan that is to be so sure, nothing where none is.

    >>> nominally(0.9), nominally(None)
    (', at nominal speed, where the plan is to be 90% sure', '')
    """
    return "" if wished is None else f", {NOMINAL}, where the plan is to be {units.percent(wished)} sure"


def sized(sure: Confidence | None) -> str:
    """Return how sure sizes are that were found at nominal speed, empty where a plan is sure enough or nobody knows.

    >>> sized(Confidence(holds=0.711, replicas=None, gpus=None, cost=None, span=(None, None)))
    'at nominal speed: the plan is 71% sure, --confidence 90% sizes for more'
    """
    if sure is None or not is_nominal(sure):
        return ""
    return f"{NOMINAL}: the plan is {surely(sure.holds)} sure, --confidence {surely(LIKELY)} sizes for more"


def surely(share: float) -> str:
    """Return a share of the cases as a whole percentage that it reaches, as far as shares are found.

    >>> surely(0.483), surely(0.899), surely(0.89994), surely(0.29)
    ('48%', '89%', '90%', '29%')
    """
    return f"{math.floor(100.0 * share + ROUNDING)}%"


def reached(share: float) -> float:
    """Return a share of the cases as tables print it: the whole percentage that `surely` says.

    >>> reached(0.529), reached(0.9), reached(0.29)
    (0.52, 0.9, 0.29)
    """
    return math.floor(100.0 * share + ROUNDING) / 100.0


def deciding(decides: Decisive | None, *, wished: float | None = None) -> str:
    """Return which guessed or default input decides most about a fleet's cost, and what another needs by formula.

    It is more or fewer of the same replicas, of which a plan of that question may find better ones, unless all were
    searched. Where a share of the cases was `wished`, it is said whether it is as sure or at nominal speed.

    >>> deciding(Decisive(name="dtype", now="bf16", other="fp8", gpus=20, cost=105.0))
    'dtype fp8 instead of bf16: ~20 GPUs like these (~$105/h)'
    >>> deciding(Decisive(name="dtype", now="bf16", other="fp8", gpus=20, cost=105.0), wished=0.9)
    'dtype fp8 instead of bf16: ~20 GPUs like these (~$105/h), at nominal speed'
    """
    if decides is None:
        return ""
    if decides.gpus is None or decides.cost is None:
        needed = "no fleet holds" if decides.searched else "no number of these replicas holds"
    else:
        fleet, alike = ("another fleet of ", "") if decides.searched else ("", " like these")
        needed = f"{fleet}~{counted(decides.gpus)}{alike} ({paid_for(decides.paid, decides.cost)})"
    held = "" if wished is None else f", {units.percent(wished)} sure" if decides.sure else f", {NOMINAL}"
    return f"{decides.name} {decides.other} instead of {decides.now}: {needed}{held}"


def for_more(sure: Confidence, best: Candidate | None = None) -> str:
    """Return with how many it is as good as sure: of the same replicas, which no simulation looked at in such numbers.

    Behind it stands what is better and of another shape than the `best` fleet. Who asks for that confidence has what is
    found simulated.

    >>> for_more(Confidence(holds=0.483, replicas=(7,), gpus=28, cost=70.0, span=(8, 40)))
    '90% with ~28 like these (~$70/h)'
    >>> for_more(Confidence(holds=0.483, replicas=(5, 2), gpus=28, cost=70.0, span=(8, 40)))
    '90% with ~28 like these, 5 + 2 replicas (~$70/h)'
    >>> for_more(Confidence(holds=0.483, replicas=(7,), gpus=28, cost=80.0, span=(8, 40), paid=32))
    '90% with ~28 like these (~32 paid in whole nodes, ~$80/h)'
    """
    likely = f"{round(100 * LIKELY)}%"
    if sure.gpus is None or sure.cost is None:
        own = f"{likely} with no number of them"
    else:
        pools = len(sure.replicas or ()) > 1
        sizes = f", {' + '.join(map(str, sure.replicas or ()))} replicas" if pools else ""
        own = (
            f"{likely} with ~{units.count(sure.gpus)} like these{sizes} ({_costing(sure.paid, sure.cost, sure.beyond)})"
        )
    others = [_as(one, best) for one in (sure.alike, sure.better_known, sure.instead) if one is not None]
    return " or ".join((", ".join((own, *others[:-1])), *others[-1:]))


def _as(other: SureFleet, best: Candidate | None) -> str:
    words = fleet_words(other.fleet) if best is None else told_from(other.fleet, best.fleet)
    told = _costing(other.paid, other.cost, other.speeds, other.beyond)
    return f"~{counted(other.fleet.gpus)} as {words} ({told})"


def _costing(paid: int | None, cost: float, *others: str) -> str:
    return ", ".join(filter(None, (paid_for(paid, cost), *others)))


def paid_for(paid: int | None, cost: float) -> str:
    """Return a cost an hour by formula, after the GPUs that are `paid` for in whole nodes, where a fleet has fewer."""
    nodes = "" if paid is None else f"{ABOUT}{units.count(paid)} paid in whole nodes, "
    return f"{nodes}{ABOUT}{units.dollars_per_hour(cost)}"
