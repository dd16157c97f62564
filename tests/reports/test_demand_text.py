import dataclasses

import pytest

from fleettui.domain.demand import DerivedDemand
from fleettui.domain.workload import (
    ArrivalStatistics,
    LengthDistribution,
    LengthStatistics,
    TimeSlice,
    Timing,
    Workload,
)
from fleettui.errors import InputError
from fleettui.reports.demand_text import (
    FORMS,
    KEYS,
    Form,
    Traffic,
    demand_of,
    derived_demand,
    form_of,
    mean_of,
    traffic_lines,
)
from fleettui.reports.question import five_lines
from fleettui.reports.question.keys import DEMAND_FORMS

PROMPT = LengthStatistics(mean=1154.7, p50=1020, p90=2734, p95=4083, p99=4142, maximum=14_050, scv=0.92)
OUTPUT = LengthStatistics(mean=211, p50=129, p90=424, p95=451, p99=601, maximum=1000, scv=0.6)
TOTAL = LengthStatistics(mean=1366, p50=1412, p90=2820, p95=4136, p99=4259, maximum=14_089, scv=0.65)
JOINT = LengthDistribution(
    kind="joint", atoms=((3, 900, 100), (1, 100, 300)), n_samples=19_366, prompt=PROMPT, output=OUTPUT, total=TOTAL
)
ALONE = LengthDistribution(kind="total", cdf=((1000, 0.5), (3000, 1.0)), output_share=0.2)
APART = LengthDistribution(kind="marginals", prompt_cdf=((1000, 1.0),), output_cdf=((200, 1.0),))
TEXTS = {"workload": "chat", "slo-ttft": "0.5s"}


def workload(
    lengths: LengthDistribution = JOINT, *bursts: tuple[float, float | None], timing: Timing = "recorded"
) -> Workload:
    arrivals = ArrivalStatistics(timing=timing, mean_rate=5.53, duration=3480, dispersion=bursts)
    return Workload(
        name="chat", slices=(TimeSlice(start=0, duration=3480, rate=5.53, lengths=lengths),), arrivals=arrivals
    )


def untimed(lengths: LengthDistribution = ALONE) -> Workload:
    return Workload(name="paper", slices=(TimeSlice(start=0, duration=0, rate=None, lengths=lengths),))


def traffic(found: Workload | None = None, **texts: str) -> Traffic:
    said = {name.replace("_", "-"): text for name, text in texts.items()}
    known = workload(JOINT, (10.0, 3.9), (60.0, 16.4)) if found is None else found
    return Traffic(texts={**TEXTS, **said}, workload=known, lengths=known.slices[0].lengths)


def test_the_five_lines_say_units_and_percentiles() -> None:
    lines = traffic_lines(traffic(rate="100/s", slo_tpot="50ms"), 78)
    assert tuple(lines) == ("demand", "lengths", "cache", "slo", "arrivals") == tuple(KEYS)
    assert "\n".join(lines.values()) == (
        "DEMAND    rate: 100 requests/s, as given\n"
        "          its own: 19,366 requests in 58 min, 5.53/s; asked: 18.1 times that\n"
        "LENGTHS   chat: prompt and output known together (joint)\n"
        "          prompt tokens P50 1,020 P99 4,142   output tokens P50 129 P99 601\n"
        "CACHE     prefix hit 0% of the prompt tokens [default]\n"
        "SLO       P99 TTFT 500ms   P99 TPOT 50ms, in every pool\n"
        "ARRIVALS  Poisson is planned for. The workload is very bursty (counts in 60s\n"
        "          vary 16.4 times as much as Poisson's); arrivals bursty covers that"
    )


def test_where_there_is_room_the_total_is_told_too() -> None:
    assert "total tokens P50 1,412 P99 4,259" in traffic_lines(traffic(), 118)["lengths"]
    assert "total" not in traffic_lines(traffic(), 78)["lengths"]


@pytest.mark.parametrize("width", [12, 40, 78, 200])
def test_no_line_is_wider_than_it_may_be(width: int) -> None:
    shown = traffic_lines(traffic(users="20000", requests_per_user="6/h", peak_factor="2.5"), width)
    assert max(len(line) for text in shown.values() for line in text.split("\n")) <= width


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({}, "as recorded: the workload's own mean rate = 5.53 requests/s"),
        (
            {"users": "20000", "requests-per-user": "6/h"},
            "users: 20,000 users × 6 requests/h × peak 1 = 33.3 requests/s",
        ),
        ({"tokens": "3e9/day"}, "1,000 tokens per request"),
        ({"concurrency": "400", "think": "20s"}, "clients: 400 that wait for each answer and pause 20 s after it; the"),
        ({"concurrency": "400"}, "clients: 400 that wait for each answer; the fleet"),
        ({"users": "20000"}, "x users: demand by users needs requests_per_user"),
    ],
)
def test_each_form_of_demand_shows_its_arithmetic(texts: dict[str, str], words: str) -> None:
    found = traffic(workload(dataclasses.replace(JOINT, atoms=((1, 900, 100),))))
    assert words in traffic_lines(dataclasses.replace(found, texts={**TEXTS, **texts}), 200)["demand"]


def test_what_a_plan_derived_stands_before_our_own_arithmetic() -> None:
    known = DerivedDemand(rate=14.0, arithmetic="400 clients / (28.5 s residence) = 14 requests/s (Little's law)")
    seen = dataclasses.replace(traffic(concurrency="400"), derived=known)
    assert derived_demand(seen) is known
    assert "clients: 400 clients / (28.5 s residence) = 14 requests/s" in traffic_lines(seen, 120)["demand"]
    assert "asked: 2.53 times that" in traffic_lines(seen, 120)["demand"]


def test_the_recorded_rate_is_not_told_twice() -> None:
    assert "asked" not in traffic_lines(traffic())["demand"]


def test_of_several_time_slices_the_busiest_counts() -> None:
    parts = tuple(TimeSlice(start=at, duration=60, rate=rate, lengths=JOINT) for at, rate in ((0, 4.0), (60, 7.5)))
    found = dataclasses.replace(workload(), slices=parts)
    derived = derived_demand(traffic(found))
    assert derived is not None
    assert derived.rate == 7.5
    assert derived.arithmetic == "the busiest of 2 time slices: 7.5 requests/s"
    assert "2 time slices, the first is shown" in traffic_lines(traffic(found), 120)["lengths"]
    with pytest.raises(InputError, match="no times"):
        derived_demand(traffic(dataclasses.replace(found, slices=(parts[0], dataclasses.replace(parts[1], rate=None)))))


def test_tokens_a_day_are_divided_by_the_mean_of_all_time_slices() -> None:
    short, long = (LengthDistribution(kind="joint", atoms=((2, *tokens),)) for tokens in ((100, 100), (1000, 200)))
    parts = (
        TimeSlice(start=0, duration=60, rate=1.0, lengths=short),
        TimeSlice(start=60, duration=60, rate=3.0, lengths=long),
    )
    derived = derived_demand(traffic(dataclasses.replace(workload(), slices=parts), tokens="3e9/day", peak_hour="10%"))
    assert derived is not None
    assert derived.rate == pytest.approx(3e9 * 0.1 / 3600 / 950)  # (60 x 200 + 180 x 1200) / 240 tokens
    assert derived.arithmetic.endswith("the busiest of 2 time slices gets it, the others in proportion")
    untimed = tuple(dataclasses.replace(part, duration=0, rate=None) for part in parts)
    counted = derived_demand(traffic(dataclasses.replace(workload(), slices=untimed), tokens="3e9/day"))
    assert counted is not None
    assert "/ 700 tokens per request" in counted.arithmetic


def test_a_workload_without_times_needs_a_demand() -> None:
    lines = traffic_lines(traffic(untimed()))
    assert lines["demand"].split("\n")[0].startswith("DEMAND    x as recorded: the workload has no times")
    assert "enter says how much comes" in lines["demand"]
    assert lines["arrivals"].endswith("Poisson is planned for; how requests really come is not known")
    assert "its own: requests without times, so no rate" in traffic_lines(traffic(untimed(), rate="9/s"))["demand"]


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        (ALONE, "only prompt + output known, output taken as 20% of it"),
        (ALONE, "total tokens P50 1,000 P99 2,960"),
        (APART, "their pairing is unknown"),
        (APART, "prompt tokens P50 500 P99 990   output tokens P50 100 P99 198"),
    ],
)
def test_how_lengths_are_known(lengths: LengthDistribution, words: str) -> None:
    assert words in traffic_lines(traffic(untimed(lengths)), 120)["lengths"]


def test_requests_that_were_left_out_are_counted() -> None:
    found = dataclasses.replace(workload(), dropped=12)
    assert "12 requests longer than the context are left out" in traffic_lines(traffic(found))["lengths"]


def test_percentiles_are_shown_as_they_are_typed() -> None:
    texts = {"prompt": "p50=900,p99=8k", "output": "p50=200,p99=1.5k", "rate": "9/s"}
    shown = traffic_lines(Traffic(texts=texts, lengths=APART), 100)["lengths"]
    assert "prompt tokens p50=900 p99=8k   output tokens p50=200 p99=1.5k" in shown
    assert "pairing is unknown" in shown
    assert "the costliest of three pairings is planned for" in shown


def test_while_nothing_is_read_the_state_is_told() -> None:
    shown = traffic_lines(Traffic(texts=TEXTS, state="x bad.csv line 41: prompt_tokens is -3\no opens another file"))
    assert shown["lengths"] == ("LENGTHS   x bad.csv line 41: prompt_tokens is -3\n          o opens another file")
    assert shown["demand"] == "DEMAND    as recorded: the workload's own mean rate"
    assert "x no workload is named" in traffic_lines(Traffic(texts={}))["lengths"]


def test_without_a_limit_the_line_says_what_is_missing() -> None:
    assert "x no limit is set" in traffic_lines(Traffic(texts={"percentile": "95"}))["slo"]
    texts = {"slo-e2e": "30s", "percentile": "99.9"}
    assert traffic_lines(Traffic(texts=texts))["slo"] == "SLO       P99.9 E2E 30s, in every pool"


def test_what_was_changed_bears_a_mark() -> None:
    seen = dataclasses.replace(traffic(prefix_hit="55%"), changed=frozenset({"prefix-hit", "peak-hour"}))
    lines = traffic_lines(seen)
    assert lines["cache"] == "CACHE*    prefix hit 55% of the prompt tokens"
    assert lines["demand"].startswith("DEMAND*")
    assert not any("*" in lines[name] for name in ("lengths", "slo", "arrivals"))


@pytest.mark.parametrize(
    ("bursts", "words"),
    [
        (((1.0, 1.1),), "like Poisson (counts in 1s vary 1.1 times as much as Poisson's)"),
        (
            ((1.0, 1.1), (60.0, 2.6)),
            "somewhat bursty (counts in 60s vary 2.6 times as much as Poisson's); arrivals bursty",
        ),
        (((1.0, None),), "how bursty the workload is was not measured"),
        ((), "how bursty the workload is was not measured"),
    ],
)
def test_bursts_are_told_in_words(bursts: tuple[tuple[float, float | None], ...], words: str) -> None:
    assert words in traffic_lines(traffic(workload(JOINT, *bursts)), 200)["arrivals"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_example_of_a_form_is_of_that_form(form: Form) -> None:
    said = {name: text for name, text in five_lines.read("demand", form.example).items() if text}
    assert form_of(said) == demand_of(said).form == form.name


def test_every_form_can_be_chosen() -> None:
    assert {form.name for form in FORMS} == {"trace", *DEMAND_FORMS}


def test_means_of_each_kind() -> None:
    assert mean_of(JOINT) == (700.0, 150.0)
    assert mean_of(ALONE) == pytest.approx((1000.0, 250.0))
    assert mean_of(APART) == (500.0, 100.0)


def test_a_profile_of_rates_is_told_by_its_file_until_it_is_read() -> None:
    assert "as recorded: the busiest slice of day.csv" in " ".join(
        traffic_lines(Traffic(texts={"arrivals": "profile:day.csv"}))["demand"].split()
    )


def test_what_was_typed_as_a_range_is_told_with_what_is_planned_for() -> None:
    shown = traffic_lines(Traffic(texts={"users": "20000", "requests-per-user": "4/h:8/h", "prefix-hit": "20%:60%"}))
    assert shown["demand"].splitlines()[0].endswith("20,000 users × 5.66 requests/h × peak 1 = 31.4 requests/s")
    assert "requests per user 4/h to 8/h, planned at 5.66/h" in shown["demand"]
    assert "prefix hit 40% of the prompt tokens" in shown["cache"]
    assert "prefix hit 20% to 60%, planned at 40%" in shown["cache"]
    wrong = traffic_lines(Traffic(texts={"rate": "120/s:80/s"}))["demand"]
    assert "the range is empty" in wrong
