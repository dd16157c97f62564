"""What a searched cap on each GPU's power costs beside none, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.meter import Meter, feed
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.power_levels import CapChoice
from fleettui.domain.scenario import Question
from fleettui.reports import fleet_text, units

AUTO = "--power-cap auto:"


def bill(candidate: Candidate, question: Question) -> float:
    """Return US dollars an hour of a fleet: its GPUs and its electricity."""
    return candidate.cost_per_hour + (Meter.of(candidate, question).cost_per_hour or 0.0)


def beside_caps(
    question: Question,
    plain: Candidate | None,
    chosen: CapChoice | None,
    choices: Sequence[CapChoice],
    *,
    failed: Sequence[float],
) -> str:
    """Return what a plan without a cap says of caps: the `chosen`, or that none pays, and from which price one would.

    `plain` is its fleet, None where none holds; `choices` are what the formulas say, and caps of `failed` watts cost
    less by them and broke a limit as simulated.
    """
    if chosen is not None:
        less = "costs least" if plain is None else f"costs less than none, {_costs(plain, question)}"
        return (
            f"{AUTO} {units.watts(chosen.watts)} a GPU {less}: {_costs(chosen.candidate, question)}; the next plan "
            "has that cap"
        )
    if plain is None:
        return f"{AUTO} no fleet holds under a cap either"
    fails = f"; by formula {', '.join(map(units.watts, failed))} cost less, and fail in simulation" if failed else ""
    least = _from_which_price(plain, choices, question)
    return f"{AUTO} no cap pays beside none, {_costs(plain, question)}{fails}; {least}"


def beside_none(question: Question, capped: Candidate | None, watts: float, plain: Answer) -> str:
    """Return what a plan with the searched cap says of the plan without."""
    if capped is None or plain.answer is None:
        return f"{AUTO} {units.watts(watts)} a GPU; without a cap no fleet holds (plan {plain.plan.handle})"
    saved = bill(plain.answer, question) - bill(capped, question)
    change = "saves" if saved >= 0 else "adds"
    return (
        f"{AUTO} {units.watts(watts)} a GPU costs {_costs(capped, question)}; no cap (plan {plain.plan.handle}) "
        f"{_costs(plain.answer, question)}: the cap {change} {units.dollars_per_month(abs(saved))}"
    )


def _costs(candidate: Candidate, question: Question) -> str:
    power = Meter.of(candidate, question).cost_per_hour or 0.0
    return (
        f"{fleet_text.gpu_total(candidate.fleet)} for {units.cents_per_hour(candidate.cost_per_hour)} and "
        f"{units.cents_per_hour(power)} of electricity"
    )


def _from_which_price(plain: Candidate, choices: Sequence[CapChoice], question: Question) -> str:
    """Return from which price of power the first cap would pay that takes more GPUs and draws less, by formula."""
    if not choices:
        return "no fleet holds under any of half the GPUs' limit and more"
    own = feed(question, plain.power, plain.gpus)
    found = []
    for one in choices:
        saved = own - feed(question, one.candidate.power, one.candidate.gpus)
        more = one.candidate.cost_per_hour - plain.cost_per_hour
        if saved > 0 and more > 0:
            found.append((more / saved * 1e3, one))
    if not found:
        return "at no price of power would one, since every fleet that holds under a cap draws more"
    price, one = min(found, key=lambda pair: pair[0])
    fleet = fleet_text.gpu_total(one.candidate.fleet)
    return f"from ${price:.3g}/kWh on {units.watts(one.watts)} a GPU on {fleet} would, by formula"
