"""The ways to pay for a plan's GPUs, in words and tables."""

from dataclasses import replace

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.day import Day, Window
from fleettui.domain.money import BOUGHT, Tariff
from fleettui.domain.study import Study, table_of
from fleettui.reports.money_text import Terms, read_terms
from fleettui.reports.studies.day_tables import AGAINST, COMMITTED, KEEPS
from fleettui.reports.studies.money import money_study
from fleettui.reports.studies.money_case import Asked, Taken, Use
from fleettui.reports.study_text import study_text
from fleettui.workloads.days import unlike_yours
from tests.cli.conftest import BEST
from tests.domain.test_money import NEED, tariff, tariffs
from tests.reports.studies.test_sweep import PLAN

USE = Use(prompt=1000.0, output=200.0, share=1.0, users=None)
MADE = replace(PLAN, plan=replace(PLAN.plan, created="2026-11-23T10:00:00Z"))
RESERVED = tariff("reserved-1y", 1.0, years=1)


def study(
    terms: Terms | None = None,
    use: Use = USE,
    taken: Taken | None = None,
    spot: float | None = None,
    sure: float | None = None,
    one: Tariff = RESERVED,
    replays: tuple[Study, ...] = (),
) -> Study:
    asked = Asked(
        plan=MADE,
        best=BEST,
        day=NEED.day.name,
        day_option="--day 'two levels.csv'",
        need=NEED,
        terms=terms or Terms(),
        tariffs=tariffs(spot=spot, one=one),
        use=use,
        taken=taken,
        sure=sure,
        replays=replays,
    )
    return money_study(asked)


def grown(*, years: int, growth: float) -> Study:
    """Return the study of what grows by a share a month, committed to at half the price for a year each."""
    need = replace(NEED, growth=growth, years=years)
    asked = Asked(
        plan=MADE, best=BEST, day="d", need=need, terms=Terms(years=years), tariffs=tariffs(one=RESERVED), use=USE
    )
    return money_study(asked)


def test_the_answer_says_what_to_commit_to_and_from_when_it_pays() -> None:
    found = study()
    assert found.sentences[0] == (
        "cheapest without autoscaling: peak, reserved-1y, 32 committed GPUs: $32.00/h, -50% against on demand, $64/h"
    )
    assert (
        found.sentences[2] == "prices per GPU: H100 on-demand $2.00/h, us 2026-11; H100 reserved-1y $1.00/h, us 2026-11"
    )
    assert "needed 365 hours a month or more, 50% of the time" in found.sentences[3]  # 730 · 1.00 / 2.00
    assert found.question == "money 9f3c --day 'two levels.csv' --years 1"
    assert all(len(line) <= 80 for line in study_text(found).splitlines())


def test_what_no_autoscaler_reaches_is_told_as_a_bound_and_what_plays_those_that_can_be_run() -> None:
    """Found: the first line was the price of replicas that follow the rate at once, $28.00, which nobody pays."""
    bound = study().sentences[1]
    assert bound == (
        "if replicas followed the rate at once, sized as planned, which none do: reserved-1y + on demand, 8 committed "
        "+ 24 on demand GPUs at most: $28.00/h on average; fleettui autoscale 9f3c --day 'two levels.csv' --reserved "
        "50% replays those that one can run"
    )
    assert table(study(), "what to commit to if replicas")[0]["committed"] == 8
    more = study(read_terms({"host": "0.25/GPU-h", "growth": "2%/month"}))
    assert more.sentences[1].endswith("replays those that one can run, without growth, without --host")
    level = replace(NEED, day=Day(name="level", windows=(Window(start=0.0, end=86_400.0, rate=100.0),)))
    found = money_study(
        Asked(plan=MADE, best=BEST, day="level", need=level, terms=Terms(), tariffs=tariffs(one=RESERVED), use=USE)
    )
    assert not any("at once" in one for one in found.sentences), "following a level rate saves nothing"
    assert not table(found, "what to commit to if replicas")


@pytest.mark.parametrize(
    ("ends", "words"), [((0.977, 1.0), "99.50% [97.70, 100.00]"), (None, "99.50%, one run alone,")]
)
def test_what_a_policy_paid_as_replayed_stands_before_what_none_reaches(
    ends: tuple[float, float] | None, words: str
) -> None:
    """Found: 99.54 % alone, of which the replay says that it is not proven, and 76.30 % in the worst 5 minutes."""
    costs = table_of(
        AGAINST,
        [
            ("static-mean", 0.8, None, "front"),
            ("forecast", 0.995, ends, KEEPS),
            ("static-peak", 1.0, None, KEEPS),
            ("oracle", 1.0, None, "told"),
        ],
        ("policy", "text", lambda row: row[0]),
        ("slo_met", "share", lambda row: row[1]),
        ("low", "share", lambda row: row[2] and row[2][0]),
        ("high", "share", lambda row: row[2] and row[2][1]),
        ("worst", "share", lambda _: 0.763),
        ("front", "text", lambda row: row[3]),
    )

    def replay(cost: float, question: str) -> Study:
        rows = [("static-mean", 4, 9.0), ("forecast", 8, cost), ("static-peak", 32, 32.0), ("oracle", 8, 10.0)]
        commit = table_of(
            COMMITTED,
            rows,
            ("policy", "text", lambda row: row[0]),
            ("committed", "count", lambda row: row[1]),
            ("cost_per_hour", "dollars per hour", lambda row: row[2]),
        )
        found = Study.of(MADE.plan, kind="autoscale", title="", question=question, sentences=(), tables=(costs, commit))
        return replace(found, handle="d3d2")

    day = "--day 'two levels.csv'"
    fits = replay(21.5, f"autoscale 9f3c {day} --delay 60s --runs 2 --reserved 50%")
    told = study(replays=(fits,)).sentences
    assert told[1] == (
        f"following the rate by forecast, as replayed: $21.50/h on average with 8 GPUs committed; {words} of the "
        "requests within every limit, 76.30% in the worst 5 minutes (fleettui show d3d2)"
    )
    assert told[2].startswith("if replicas followed the rate at once")
    assert "fleettui autoscale" not in told[2]
    others = (
        f"autoscale 9f3c {day} --runs 2",
        f"autoscale 9f3c {day} --runs 2 --reserved 60%",
        f"autoscale 9f3c {day} --event loss=20%@14h --runs 2 --reserved 50%",
        "autoscale 9f3c --day other.csv --runs 2 --reserved 50%",
    )
    assert study(replays=tuple(replay(21.5, one) for one in others)).sentences == study().sentences
    assert study(read_terms({"growth": "5%/month"}), replays=(fits,)).sentences[1].startswith("if replicas")
    dear = study(replays=(replay(40.0, fits.question),)).sentences
    assert dear == study().sentences, "holding the peak costs less, and is no following"


def test_what_a_request_and_its_tokens_cost_is_over_what_is_served() -> None:
    # 32 an hour; 100/s for 10 h and 20/s for 14 h are 53.33/s, 192,000 an hour
    rows = {str(row["for"]): row["dollars"] for row in study().tables[3].records()}
    each = 32.0 / 192_000
    assert rows == {
        "1,000 requests": pytest.approx(1000 * each, abs=1e-6),
        "1M input tokens": pytest.approx(1000 * each, abs=1e-6),
        "1M output tokens": pytest.approx(5000 * each, abs=1e-6),
        "1M tokens of both": pytest.approx(1e6 * each / 1200, abs=1e-6),
    }
    half = study(use=replace(USE, share=0.5, users=1000)).tables[3].records()
    assert half[0]["dollars"] == pytest.approx(2000 * each, abs=1e-6)
    assert half[-1] == {"for": "a user and month", "dollars": pytest.approx(32.0 * 730 / 1000)}
    assert "the 50% that are served" in " ".join(study(use=replace(USE, share=0.5)).sentences)


def test_every_price_has_class_seller_and_date_and_an_old_one_says_so() -> None:
    rows = study().tables[2].records()
    assert [(row["class"], row["seller"], row["date"]) for row in rows] == [
        ("on-demand", "us", "2026-11"),
        ("reserved-1y", "us", "2026-11"),
    ]
    old = replace(RESERVED, date="2026-05")
    found = money_study(
        Asked(plan=MADE, best=BEST, day="d", need=NEED, terms=Terms(), tariffs=tariffs(one=old), use=USE)
    )
    assert any("176 days old" in one for one in found.warnings)
    assert not any("days old" in one for one in study().warnings)
    assert "each size is 90% sure; fleettui autoscale is at nominal speed" in study(sure=0.9).warnings


def test_what_is_committed_to_at_nominal_speed_says_how_sure_that_is() -> None:
    """Found: three years' commitment to 8 GPUs, of which no word said that the plan was 71 % sure."""
    sure = Confidence(holds=0.711, replicas=None, gpus=None, cost=None, span=(None, None))
    asked = Asked(
        plan=replace(MADE, confidence=sure), best=BEST, day="d", need=NEED, terms=Terms(), tariffs=tariffs(), use=USE
    )
    words = "at nominal speed: the plan is 71% sure, --confidence 90% sizes for more"
    assert words in money_study(asked).warnings
    enough = replace(asked, plan=replace(MADE, confidence=replace(sure, holds=0.85)))
    assert not any("sure" in one for one in money_study(enough).warnings)


def test_a_day_that_nobody_gave_is_told_as_another_services_and_the_plans_own_needs_no_option() -> None:
    """Found: a shipped shape under a rate that was held, with no word."""
    own = Asked(plan=MADE, best=BEST, day="day.csv", need=NEED, terms=Terms(), tariffs=tariffs(one=RESERVED), use=USE)
    other = replace(own, day="servegen-m-large", day_caution=unlike_yours("servegen-m-large"))
    assert "the day's shape is another service's, servegen-m-large: --day gives yours" in money_study(other).warnings
    assert not any("--day" in one for one in study().warnings)
    assert money_study(replace(own, day_option="")).question == "money 9f3c --years 1"


def test_prices_that_move_change_what_is_held() -> None:
    rows = {str(row["if"]): (row["committed"], row["cost_per_hour"]) for row in study().tables[4].records()}
    assert rows["as it is"] == (32, 32.0)
    assert rows["committed -20%"] == (32, pytest.approx(32 * 0.8))
    assert rows["on-demand +20%"] == (32, 32.0)
    dear = study(one=replace(RESERVED, per_hour=1.8)).tables[4].records()
    assert [row["cost_per_hour"] for row in dear if row["if"] == "committed +20%"] == [64.0], "none is committed to"


def test_spot_says_what_it_costs_and_what_buys_it_back() -> None:
    terms = read_terms({"spot": "25%", "interrupted": "20%/month", "again": "600s"})
    found = study(terms, taken=Taken(none=0.99, one=0.90, all=None), spot=0.5)
    told = " ".join(found.sentences)
    assert "of 1 spot unit 20% are interrupted a month" in told  # -ln(0.8) / 730 h · 600 s = 5.1e-5
    assert "so 5.1e-05 are missing on average" in told
    assert "with it gone 90% of the requests" in told
    assert "if all go" not in told
    assert "1 spare unit on demand buys that back, for $16.00/h" in told
    assert table(found, "spot")[1:] == [{"gone": "one unit gone", "slo_met": 0.90}], "all of one unit are that one"
    both = study(replace(terms, spot=0.5), taken=Taken(none=0.99, one=0.90, all=0.5), spot=0.5)
    told = " ".join(both.sentences)
    assert "with one gone 90% of the requests" in told
    assert "if all go at once, 50% are within every limit; 2 spare units on demand buy that back, for $32.00/h" in told
    assert table(both, "spot")[2] == {"gone": "all spot gone", "slo_met": 0.5}


def test_what_is_bought_is_written_off_over_the_years_that_are_looked_at() -> None:
    terms = read_terms({"buy": "38k", "life": "4"})
    asked = Asked(
        plan=MADE,
        best=BEST,
        day="d",
        need=NEED,
        terms=terms,
        tariffs=tariffs(one=replace(RESERVED, name=BOUGHT)),
        for_life={"h100": tariff(BOUGHT, 0.5, years=4)},
        use=USE,
    )
    assert any(
        "written off over 1 year of the 4 that they serve (--years 4)" in one for one in money_study(asked).warnings
    )
    assert any("power of bought GPUs is taken at 0.10/kWh" in one for one in money_study(asked).warnings)
    said = money_study(replace(asked, power_price=0.12))
    assert not any("0.10/kWh" in one for one in said.warnings), "seen: told though the plan's 0.12 was taken"


@pytest.mark.parametrize(
    ("year", "life", "words"),
    [
        (
            2.5,
            1.0,
            "costs no less than on demand over 1 year; over the 4 that it serves it pays from 365 hours a month",
        ),
        (1.5, 1.0, "hours a month or more, 75% of the time, over 1 year; over the 4 that it serves it pays from 365"),
        (2.5, 2.2, "costs no less than on demand, over 1 year and over the 4 that it serves, so it never pays"),
    ],
)
def test_what_serves_longer_than_is_looked_at_is_told_over_both(year: float, life: float, words: str) -> None:
    """Found: "it never pays" of what was written off over 1 of its 4 years, where over these it costs half."""
    asked = Asked(
        plan=MADE,
        best=BEST,
        day="d",
        need=NEED,
        terms=read_terms({"buy": "38k", "life": "4"}),
        tariffs=tariffs(one=tariff(BOUGHT, year, years=1)),
        for_life={"h100": tariff(BOUGHT, life, years=4)},
        use=USE,
    )
    assert words in " ".join(money_study(asked).sentences)
    whole = replace(asked, terms=replace(asked.terms, years=4))
    (said,) = (one for one in money_study(whole).sentences if one.startswith("H100 bought") and "another" not in one)
    assert said.endswith("so it never pays" if year > 2.0 else "75% of the time")


def table(found: Study, title: str) -> list[dict[str, object]]:
    return [dict(row) for one in found.tables if one.title.startswith(title) for row in one.records()]


def test_extras_are_paid_beside_the_gpus_and_borne_by_what_is_served() -> None:
    # 192,000 requests an hour of 200 tokens and 4 bytes are 0.1536 GB: at 0.09 0.013824; 730 a month is 1 an hour
    terms = read_terms({"egress": "0.09/GB", "token-bytes": "4B", "storage": "730/month", "host": "0.25/GPU-h"})
    hosted = {
        gpu: replace(own, on_demand=replace(own.on_demand, host=0.25))
        for gpu, own in tariffs(one=tariff("reserved-1y", 2.5, years=1)).items()
    }
    asked = Asked(plan=MADE, best=BEST, day="d", need=NEED, terms=terms, tariffs=hosted, use=USE)
    found = money_study(asked)
    rows = {str(row["for"]): row["cost_per_hour"] for row in table(found, "beside the GPUs")}
    assert rows["egress"] == pytest.approx(0.013824)
    assert rows["storage"] == pytest.approx(1.0)
    assert rows["host, in the prices above"] == pytest.approx(32 * 0.25)
    whole = 32 * 2.25 + 0.013824 + 1.0
    assert table(found, "US dollars for")[0]["dollars"] == pytest.approx(1000 * whole / 192_000, abs=1e-6)
    assert table(study(), "beside the GPUs") == []
    first, told = found.sentences[0], next(one for one in found.sentences if one.startswith("over 1 year"))
    assert first.endswith(": $72.00/h; $1.01/h more for egress and storage"), first  # found: the host alone was in it
    assert told.endswith(" output tokens, with egress and storage")


def test_an_api_costs_more_from_so_many_tokens_on() -> None:
    # 32 an hour, 768 a day: at 0.60 per 1M that buys 1,280M; 53.33/s of 1,200 tokens are 5,530M a day, at 6.00 112M
    def told(price: str, use: Use = USE) -> str:
        found = study(read_terms({"api": price}), use=use).sentences
        return next(one for one in found if one.startswith("an API"))

    assert told("0.60/1M") == (
        "an API at $0.60 per 1M tokens costs more from 1.28B tokens a day on; there are 5.53B on average, so this "
        "fleet costs less as peak, reserved-1y ($0.14) or peak, on demand ($0.28)"
    )
    assert told("0.15/1M").endswith(  # found: what one way alone makes cheaper was told of the fleet
        "so this fleet costs less as peak, reserved-1y ($0.14), and more as peak, on demand ($0.28)"
    )
    assert "so the API costs less, whichever way the fleet is paid: peak, reserved-1y ($0.14) or" in told("0.06/1M")
    assert told("0.60/1M", replace(USE, output=None)).endswith("tokens a day on")
    assert not any(one.startswith("an API") for one in study().sentences)


def test_what_leaves_grows_with_the_tokens_that_an_api_is_held_to() -> None:
    """Found: egress was what the traffic pays, whatever number of tokens the API cost as much at."""

    def told(egress: str) -> str:
        found = study(read_terms({"api": "0.60/1M", "egress": egress, "token-bytes": "1000B"})).sentences
        return next(one for one in found if one.startswith("an API"))

    # 200 of 1,200 tokens leave as 1 KB: at 0.60/MB, $0.10 per 1M tokens, 24 * 32.00 buy 768/0.50 = 1,536M
    assert told("600/TB").startswith("an API at $0.60 per 1M tokens costs more from 1.54B tokens a day on")
    assert told("4000/TB").startswith("an API at $0.60 per 1M tokens costs less than egress alone, however many there")


def test_gpus_at_most_are_those_of_all_years_in_every_way_to_pay() -> None:
    """Found: on demand of year 1 beside what three years take at most that are committed to."""
    need = replace(NEED, growth=0.02, years=3)
    tariffs_ = tariffs(one=tariff("reserved-3y", 1.0, years=3))
    asked = Asked(plan=MADE, best=BEST, day="d", need=need, terms=Terms(years=3), tariffs=tariffs_, use=USE)
    rows = {str(row["way"]): row for row in table(money_study(asked), "ways to pay")}
    most = {name: sum(int(str(row[part])) for part in ("committed", "on_demand")) for name, row in rows.items()}
    assert len({*most.values()}) == 1, most
    assert most["peak, on demand"] > 32, "what growth takes is among them"


def test_what_an_api_is_held_to_buys_what_is_called_bought() -> None:
    """Found: "peak, bought ($0.28)", of GPUs on demand all of which the API was to be dearer than."""
    asked = Asked(
        plan=MADE,
        best=BEST,
        day="d",
        need=NEED,
        terms=read_terms({"api": "0.30/1M"}),
        tariffs=tariffs(two=tariff(BOUGHT, 3.0, years=1)),
        use=USE,
    )
    found = money_study(asked)
    told = next(one for one in found.sentences if one.startswith("an API"))
    # 32 · 3.00 an hour over 230.4M tokens
    assert told.endswith("as peak, on demand ($0.28), and more as peak, all bought ($0.42)")
    rows = {str(row["way"]): row["committed"] for row in table(found, "ways to pay")}
    assert rows == {"peak, on demand": 0, "peak, all bought": 32, "on demand as needed": 0}


def test_what_growth_needs_later_is_on_demand_from_then_on() -> None:
    """Found: the last GPU of three years' growth committed to for three years, and on demand all of its last year."""
    # 100/s: 40 GPUs at once, 48 from day 71 on, 56 from 129, 64 from 178, 72 from 221, 80 from 258, 88 from 292,
    # 96 from 322 and 104 from 350 on: at half the price 64 are worth committing to
    found = grown(years=1, growth=0.10)
    later = 8 * sum(365 - day for day in (221, 258, 292, 322, 350)) / 365
    assert found.sentences[0].startswith(
        f"cheapest without autoscaling: peak, reserved-1y, 64 committed + 40 on demand GPUs as growth needs them: "
        f"${64 * 1.0 + later * 2.0:.2f}/h, "
    )
    rented = 40 + 8 * sum(365 - day for day in (71, 129, 178, 221, 258, 292, 322, 350)) / 365
    assert table(found, "ways to pay")[0]["cost_per_hour"] == pytest.approx(rented * 2.0)


def test_what_is_bought_is_told_term_by_term_of_many_the_first_and_the_last() -> None:
    """Found: of three commitments of a year each the GPUs of the first alone, beside the cost of all."""
    two, many = grown(years=2, growth=0.05), grown(years=4, growth=0.02)
    assert two.sentences[0].startswith(
        "cheapest without autoscaling: peak, reserved-1y, 48 committed + 16 on demand GPUs as growth needs them, "
        "then 80 committed + 24 on demand: $73.53/h, "
    )
    as_it_is = table(two, "the cheapest way, where prices")[0]
    assert as_it_is["committed"] == 80, "at most, as of the ways to pay"
    (row,) = (row for row in many.tables[1].records() if row["to_year"] == 4)
    parts = f"{row['committed']} committed + {row['on_demand']} on demand"
    assert f" GPUs as growth needs them, {parts} in the last of 4 terms: $" in many.sentences[0]


def test_classes_bear_their_share_of_the_requests() -> None:
    asked = Asked(
        plan=MADE, best=BEST, day="d", need=NEED, terms=Terms(), tariffs=tariffs(one=RESERVED), use=USE, batch=0.25
    )
    rows = table(money_study(asked), "by class of service")
    assert [(row["class"], row["cost_per_hour"]) for row in rows] == [("interactive", 24.0), ("batch", 8.0)]
    assert rows[0]["requests_1k"] == rows[1]["requests_1k"] == pytest.approx(1000 * 32.0 / 192_000, abs=1e-6)
    assert table(study(), "by class of service") == []


def test_prices_at_which_the_mix_is_another_are_told() -> None:
    assert (
        "H100 reserved-1y at another price: below $0.83/h 24 more are committed to, above $2.00/h 8 fewer, of those "
        "that follow"
    ) in study().sentences
    assert not [one for one in study(read_terms({"spot": "25%"}), spot=0.5).sentences if "another price" in one]


def test_from_when_on_buying_pays_is_told_by_years() -> None:
    def over(years: int):
        return years, tariffs(one=RESERVED, two=tariff(BOUGHT, 2.0 / years, years=years))

    terms = read_terms({"years": "3", "buy": "38k", "life": "3"})
    need = replace(NEED, years=3)
    asked = Asked(
        plan=MADE,
        best=BEST,
        day="d",
        need=need,
        terms=terms,
        tariffs=over(3)[1],
        use=USE,
        over=tuple(map(over, (1, 2, 3))),
    )
    found = money_study(asked)
    rows = table(found, "to buy or to rent")
    assert [row["years"] for row in rows] == [1, 2, 3]
    assert all("bought" in str(row["bought"]) and "bought" not in str(row["rented"]) for row in rows)
    assert rows[2]["buy_per_hour"] < rows[2]["rent_per_hour"]  # type: ignore[operator]
    assert rows[0]["bought"] == "peak, all bought", "what buys none is no purchase"
    assert "to buy is cheaper than to rent where 3 years or more are looked at" in found.sentences


def test_another_load_is_said_to_be_met_as_whatif_sizes_these_pools() -> None:
    """Found: "a plan at that rate may take less", as pools were scaled in proportion to the rate."""
    (made,) = (one for one in study().tables if one.title.startswith("the cheapest way, where"))
    assert made.note.endswith("a load is met in whole replicas of these pools, as fleettui whatif sizes them")


def test_a_warning_says_what_it_is_good_for() -> None:
    terms = read_terms({"spot": "25%", "again": "10min", "notice": "2min"})
    taken = Taken(none=0.99, one=0.9, all=None)
    asked = Asked(
        plan=MADE,
        best=BEST,
        day="d",
        need=NEED,
        terms=terms,
        tariffs=tariffs(spot=0.5),
        use=USE,
        taken=taken,
        longest=20.0,
    )
    told = " ".join(money_study(asked).sentences)
    assert "a warning of 120 s lets another be asked for, which is missing 480 s then" in told
    assert "a request takes up to 20 s (at the limits' percentile), so what runs ends in time" in told
    assert "cut and begun again" in " ".join(money_study(replace(asked, longest=200.0)).sentences)
