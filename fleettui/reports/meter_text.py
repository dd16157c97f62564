"""What a fleet's power comes to at the meter, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.meter import Meter, feed
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.unit_cost import mean_over_peak
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.reports import units
from fleettui.reports.table import NO_BREAK


def power_words(candidate: Candidate, question: Question) -> str:
    """Return what the GPUs draw and what that is at the meter: by which of them a limit counts, is its own to say."""
    site = feed(question, candidate.power, candidate.gpus)
    told = f"GPUs{NO_BREAK}draw{NO_BREAK}{units.watts(candidate.power)}, {units.watts(site)} at the meter"
    hosts = f"hosts of {units.watts(question.host_power)} a GPU".replace(" ", NO_BREAK)
    return f"{told} with {hosts}" if _hosts_decide(candidate, question) else told


def _hosts_decide(candidate: Candidate, question: Question) -> bool:
    """Return whether a GPU's share of host draws more than a GPU may: then the meter shows hosts before all else."""
    try:
        most = max(catalog.gpu(gpu).thermal_design_power for gpu in candidate.fleet.gpus_by_type)
    except InputError:  # a GPU of a file
        return False
    return question.host_power > most


def meter_text(candidate: Candidate, question: Question, derived: DerivedDemand | None = None) -> str:
    """Return what the meter shows with `candidate` at the question's rate: power, energy, then money and carbon.

    `derived` is what the demand came to, by which the rate may be a day's peak.
    """
    at_peak = mean_over_peak(question.demand, derived) < 1.0
    return " ".join(_sentences(Meter.of(candidate, question), candidate, question, at_peak=at_peak))


def _sentences(meter: Meter, candidate: Candidate, question: Question, *, at_peak: bool) -> Iterator[str]:
    hosts = f"{units.watts(question.host_power)} of server and network for each GPU, x {meter.pue:g} (PUE)"
    yield f"The meter of the site shows {units.watts(meter.site)}: with {hosts}."
    if meter.joules_per_request is not None and meter.tokens_per_joule is not None:
        tokens = f"{meter.tokens_per_joule:.3g} output tokens per joule"
        yield f"That is {units.count(meter.joules_per_request)} J per request, {tokens}."
    if meter.cost_per_hour is not None:
        share = "" if meter.cost_share is None else f", {units.percent(meter.cost_share)} of the GPUs' own cost"
        month = f"Electricity costs {units.dollars_per_month(meter.cost_per_hour)}"
        month += ", at the peak's power all the time," if at_peak else ""
        yield f"{month} at ${question.power_price:g}/kWh{share}: {units.dollars_per_month(candidate.cost_per_hour)}."
    if meter.grams_per_million_output_tokens is not None:
        grams = units.count(meter.grams_per_million_output_tokens)
        yield f"1M output tokens emit {grams} g of CO2 at {question.carbon:g} g/kWh."
