"""From the watts of a fleet's GPUs to the meter of its site, and what that comes to in money, energy and carbon."""

from __future__ import annotations

from dataclasses import dataclass, fields

from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question

ASKED = ("host_power", "pue", "power_price", "carbon", "max_feed")
"""The fields of a question that say something of the meter."""
JOULES = 3.6e6
"""Joules of a kWh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """Power at the meter and what it comes to; None where the question gives no price, or the fleet no output.

    `gpus`, `hosts` (server and network) and `site` ((gpus + hosts)·pue) are watts, `cost_per_hour` US dollars,
    `cost_share` that cost over the GPUs' own. `joules_per_request`, `tokens_per_joule` (output tokens) and
    `grams_per_million_output_tokens` are those of the site, not of the GPUs alone.
    """

    gpus: float
    hosts: float
    pue: float
    site: float
    cost_per_hour: float | None
    cost_share: float | None
    joules_per_request: float | None
    tokens_per_joule: float | None
    grams_per_million_output_tokens: float | None

    @classmethod
    def of(cls, candidate: Candidate, question: Question) -> Meter:
        """Return what the meter of a site shows that has `candidate` alone, at the question's rate."""
        hosts = question.host_power * candidate.gpus
        site = feed(question, candidate.power, candidate.gpus)
        cost = None if question.power_price is None else site / 1000.0 * question.power_price
        requests, output = sum(pool.arrival_rate for pool in candidate.pools), output_rate(candidate)
        carbon = question.carbon
        return cls(
            gpus=candidate.power,
            hosts=hosts,
            pue=question.pue,
            site=site,
            cost_per_hour=cost,
            cost_share=None if cost is None or not candidate.cost_per_hour else cost / candidate.cost_per_hour,
            joules_per_request=site / requests if requests else None,
            tokens_per_joule=output / site if output and site else None,
            grams_per_million_output_tokens=site / output * 1e6 / JOULES * carbon if carbon and output else None,
        )


def feed(question: Question, watts: float, gpus: float) -> float:
    """Return the watts at the meter of a site whose `gpus` draw `watts` together."""
    of_watts, of_gpus = feed_weights(question)
    return watts * of_watts + gpus * of_gpus


def feed_weights(question: Question) -> tuple[float, float]:
    """Return the watts at the meter for each watt of the GPUs, and for each GPU beside them."""
    return question.pue, question.host_power * question.pue


def meter_asked(candidate: Candidate | None, question: Question) -> Meter | None:
    """Return the meter where `question` says something of it that is not so by default, and there is a fleet."""
    said = any(getattr(question, one.name) != one.default for one in fields(question) if one.name in ASKED)
    return Meter.of(candidate, question) if said and candidate is not None else None


def output_rate(candidate: Candidate) -> float | None:
    """Return output tokens a second, which the cost of an hour and of a million tokens tell; None for a free fleet."""
    each = candidate.cost_per_million_output_tokens
    return candidate.cost_per_hour / each / 3600.0 * 1e6 if each else None
