"""How to pay for a small kept plan's GPUs."""

from bisect import bisect_left
from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.planning.kept_plan import KeptPlan
from fleettui.planning.make_plan import make_plan
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import commands, read_line
from fleettui.planning.studies.study_context import make
from fleettui.planning.tariffs import PriceBook
from fleettui.reports.money_text import Terms, read_terms
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace
from tests.planning.studies.conftest import StudyOf


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out a price list of whoever runs the tests."""
    monkeypatch.setenv("FLEETTUI_CONFIG", str(tmp_path / "config.toml"))


async def test_a_study_is_kept_and_its_prices_are_those_asked_for(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    plan = await make_plan(question(trace(tmp_path), verify=False), store=store, pool=workers)
    kept = KeptPlan.of(store, "last")
    best = kept.fleet_for("")

    def book(**given: object) -> PriceBook:
        return PriceBook(kept=kept, best=best, terms=read_terms(given))

    (own,) = book(years="3", buy="38k").tariffs().values()
    assert (own.on_demand.per_hour, own.on_demand.date) == (2.95, "2026-05")
    assert {name: (one.per_hour, one.seller) for name, one in own.committed.items() if name != "bought"} == {
        "reserved-1y": (2.25, "coreweave"),
        "reserved-3y": (1.30, "market"),
    }
    watts = kept.question.pue * (best.power / best.gpus + kept.question.host_power)
    assert own.committed["bought"].per_hour == pytest.approx(38_000 / (3 * 8760) + watts / 1000 * 0.10)
    capital, running = 38_000 / (3 * 8760), watts / 1000 * 0.10
    parts = f"${capital:.2f}/h over 3 years + ${running:.2f}/h for {watts / 1000:.3g} kW at the meter"
    assert own.committed["bought"].seller == f"as {parts}"
    for years in ("1", "3"):
        (whole,) = book(years=years, buy="38k", life="4").bought_for_life().values()
        assert whole.per_hour == pytest.approx(38_000 / (4 * 8760) + running), "of whichever years are looked at"
    (short,) = book(buy="38k").tariffs().values()
    assert short.committed["bought"].seller.startswith(f"as ${38_000 / 8760:.2f}/h over 1 year +"), "seen: 1 years"
    assert book().bought_for_life() == {}
    (typed,) = book(pay=("reserved-1y=1.5", "aws/us-east-1/on-demand")).tariffs().values()
    assert (typed.on_demand.per_hour, typed.on_demand.gpus) == (pytest.approx(6.88), 8)
    assert typed.committed["reserved-1y"].seller == "as typed"
    with pytest.raises(InputError, match="no reserved-1y price is known of this provider"):
        book(pay=("nobody/reserved-1y",)).tariffs()

    study = await make("money", store, pool=workers, plan="last", day="servegen-m-large", terms=Terms())
    assert (study.kind, study.plan, store.study(study.handle)) == ("money", plan.plan.id, study)
    assert [row["class"] for row in study.tables[2].records()] == ["on-demand", "reserved-1y"]


GROWING = (
    pytest.param((), {"slo": Slo(ttft=0.5), "demand": Demand(form="rate", rate=60.0)}, id="one pool"),
    pytest.param((), {"demand": Demand(form="rate", rate=60.0), "pools": (2,)}, id="two pools"),
    pytest.param(
        (), {"whole_nodes": True, "slo": Slo(ttft=0.5), "demand": Demand(form="rate", rate=30.0)}, id="whole nodes"
    ),
    pytest.param((), {"confidence": 0.9, "demand": Demand(form="rate", rate=35.0)}, id="90% sure"),
    pytest.param((3,), {}, id="simulated", marks=pytest.mark.thorough),
)


@pytest.mark.parametrize(("replicas", "changes"), GROWING)
async def test_money_and_growth_name_one_fleet_at_one_rate(
    store: Store, workers: Watched, study_of: StudyOf, replicas: tuple[int, ...], changes: Mapping[str, Any]
) -> None:
    """Found: 5 A100 paid for at 27.7 requests/s, where growth and a plan of that rate say 4.

    And the last GPU of a year was paid for all that year, on demand too, where growth needs it from its last weeks on.
    """
    _, growth = await study_of("growth", "growth 8%/month orders each", replicas=replicas, **changes)
    stages = growth.tables[0].records()
    terms = read_terms({"years": "2", "growth": "8%/month", "pay": ("reserved-1y=0.1",)})
    money = await make("money", store, pool=workers, plan="last", day="", terms=terms)
    paid = [int(str(row["committed"])) + int(str(row["on_demand"])) for row in money.tables[1].records()]
    days = [date.fromisoformat(str(row["needed_from"])) for row in stages]
    counts, starts = [int(str(row["gpus"])) for row in stages], [(one - days[0]).days for one in days]

    assert paid == [counts[bisect_left(starts, end) - 1] for end in (365, 730)]
    held = sum(count * (to - at) for count, (at, to) in zip(counts, pairwise([*starts, 730]), strict=True)) / 730
    rent = money.tables[0].records()[0]["cost_per_hour"]
    assert rent == pytest.approx(held * float(str(money.tables[2].records()[0]["per_gpu_hour"])))


async def test_spot_is_played_as_outages(store: Store, workers: Watched, tmp_path: Path) -> None:
    """Found: a table of limits came in between, and --spot ended with a KeyError."""
    await simulate(sketch(4), question(trace(tmp_path), verify=False), store=store, pool=workers)
    study = await make("money", store, pool=workers, plan="last", day="", terms=read_terms({"spot": "50%"}))
    told = next(one for one in study.tables if one.title.startswith("spot"))
    met = {row["gone"]: row["slo_met"] for row in told.records()}
    assert set(met) == {"none gone", "one unit gone", "all spot gone"}
    assert float(met["none gone"] or 0.0) >= float(met["one unit gone"] or 0.0) > float(met["all spot gone"] or 0.0)
    one = await make("money", store, pool=workers, plan="last", day="", terms=read_terms({"spot": "25%"}))
    told = next(one for one in one.tables if one.title.startswith("spot: 1 unit"))
    assert {row["gone"]: row["slo_met"] for row in told.records()}.keys() == {"none gone", "one unit gone"}


async def test_a_line_says_the_options() -> None:
    assert read_line(commands()["money"], "years 3 pay aws/spot pay reserved-1y=1.8") == {
        "years": "3",
        "pay": ("aws/spot", "reserved-1y=1.8"),
    }
    with pytest.raises(InputError, match="no word for money"):
        read_line(commands()["money"], "year 3")
