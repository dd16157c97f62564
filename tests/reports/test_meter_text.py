"""What a fleet's power comes to at the meter: by hand, in words, and only where it was asked."""

import dataclasses

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.meter import Meter, meter_asked
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import dumps
from fleettui.errors import InputError
from fleettui.reports.meter_text import meter_text, power_words
from fleettui.reports.plan_json import plan_json
from fleettui.reports.plan_text import plan_text
from fleettui.reports.question.keys import key_named
from fleettui.reports.table import NO_BREAK


def test_the_meter_is_gpus_and_hosts_times_pue(best: Candidate, question: Question) -> None:
    asked = dataclasses.replace(question, power_price=0.12, carbon=300.0)
    meter = Meter.of(best, asked)
    site = (14_000 + 24 * 630) * 1.3
    output = 71.0 / 3600 / 0.31 * 1e6
    assert meter.site == pytest.approx(site)
    assert meter.cost_per_hour == pytest.approx(site / 1000 * 0.12)
    assert meter.cost_share == pytest.approx(site / 1000 * 0.12 / 71.0)
    assert meter.joules_per_request == pytest.approx(site / 100.0, rel=1e-3)
    assert meter.tokens_per_joule == pytest.approx(output / site)
    assert meter.grams_per_million_output_tokens == pytest.approx(site / output * 1e6 / 3.6e6 * 300)
    told = meter_text(best, asked)
    assert "shows 37.9 kW" in told
    assert "$3,316/month at $0.12/kWh, 6% of the GPUs' own cost" in told
    assert "g of CO2 at 300 g/kWh" in told
    a_day = dataclasses.replace(asked, demand=Demand(form="tokens", tokens=1e9 / 86_400, peak_hour=0.08))
    assert "$3,316/month, at the peak's power all the time, at $0.12/kWh" in meter_text(best, a_day)


def test_hosts_that_draw_more_than_their_gpus_are_named(best: Candidate, question: Question) -> None:
    """Found: 1.1 kW a card of L40S at the meter, with no word on the 630 W that are an HGX-H100's host."""
    pools = tuple(dataclasses.replace(pool, gpu="l40s") for pool in best.fleet.pools)
    small = dataclasses.replace(best, fleet=dataclasses.replace(best.fleet, pools=pools))
    told = power_words(small, question).replace(NO_BREAK, " ")
    assert told.endswith("at the meter with hosts of 630 W a GPU")
    assert power_words(small, dataclasses.replace(question, host_power=150.0)).endswith("at the meter")
    assert power_words(best, question).endswith("at the meter")


def test_a_free_fleet_has_no_share_and_no_known_output(best: Candidate, question: Question) -> None:
    free = dataclasses.replace(best, cost_per_hour=0.0, cost_per_million_output_tokens=0.0)
    meter = Meter.of(free, dataclasses.replace(question, power_price=0.12, carbon=300.0))
    assert (meter.cost_share, meter.tokens_per_joule, meter.grams_per_million_output_tokens) == (None, None, None)


def test_what_is_not_asked_leaves_text_json_and_digest_as_they_were(
    answer: Answer, best: Candidate, question: Question
) -> None:
    assert meter_asked(best, question) is None
    assert "meter" not in plan_json(answer, question=question)
    assert "meter  " not in plan_text(answer, question)
    assert not any(name in dumps(question) for name in ("pue", "carbon", "host_power", "power_price"))
    asked = dataclasses.replace(question, pue=1.5)
    assert "meter   The meter of the site shows" in plan_text(dataclasses.replace(answer, answer=best), asked)
    assert plan_json(dataclasses.replace(answer, answer=best), question=asked)["meter"]["pue"] == 1.5


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("power-price", "$0.12/kWh", 0.12),
        ("power-price", "120/MWh", 0.12),
        ("carbon", "300g/kWh", 300.0),
        ("carbon", "0.3kg/kWh", 300.0),
        ("host-power", "0W", 0.0),
    ],
)
def test_prices_and_carbon_are_read_and_written(key: str, text: str, value: float) -> None:
    form = key_named(key).form
    assert form.read(text, None) == pytest.approx(value)
    assert form.read(form.write(value), None) == value


@pytest.mark.parametrize(("key", "text"), [("power-price", "0.12"), ("carbon", "300"), ("power-price", "0/kWh")])
def test_a_price_without_a_unit_is_refused_with_what_is_accepted(key: str, text: str) -> None:
    with pytest.raises(InputError) as refused:
        key_named(key).form.read(text, None)
    assert "kWh" in str(refused.value)


def test_a_site_draws_no_less_than_its_servers(question: Question) -> None:
    with pytest.raises(InputError, match="pue must not be below 1"):
        dataclasses.replace(question, pue=0.9)
