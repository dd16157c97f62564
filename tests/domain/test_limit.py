"""A limit is a metric at a percentile; an SLO may hold several of one metric."""

from dataclasses import replace

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.limit import ALWAYS, METRICS, Latency, Limit, further_latencies
from fleettui.domain.plan import Estimate, PoolEvidence
from fleettui.domain.serialization import dumps, from_plain, to_plain
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError

TWO = Slo(ttft=0.5, further=(("ttft.p50", 0.2), ("e2e.p99.9", 20.0)))


def test_metrics_have_names_of_their_own() -> None:
    assert len({one.label for one in METRICS}) == len(METRICS)
    assert tuple(METRICS)[: len(ALWAYS)] == ALWAYS
    with pytest.raises(UnknownNameError, match="ttft"):
        METRICS.named("itl")


@pytest.mark.parametrize("name", ["ttft", "ttft.p50", "e2e.p99.9", "tpot.p0.5"])
def test_a_latency_is_found_by_its_name(name: str) -> None:
    assert Latency.named(name).name == name


@pytest.mark.parametrize("name", ["ttft.p", "ttft.p100", "ttft.p0", "ttft.p5e1", "ttft.50", "ttft.p-1", "itl.p50"])
def test_what_is_no_latency_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        Slo(further=((name, 0.2),))


def test_a_limit_says_its_percentile_where_it_is_its_own() -> None:
    assert [one.label for one in TWO.limits()] == ["TTFT", "P50 TTFT", "P99.9 E2E"]
    assert [one.column for one in TWO.limits()] == ["ttft", "p50_ttft", "p99.9_e2e"]
    assert [TWO.share(one) for one in TWO.limits()] == [0.99, 0.5, 0.999]
    assert [one.name for one in TWO.latencies()] == ["ttft", "tpot", "ttft.p50", "e2e.p99.9"]


@pytest.mark.parametrize(
    "further", [(("ttft", 0.2),), (("ttft.p50", 0.2), ("ttft.p50", 0.3)), (("ttft.p50.0", 0.2),), (("ttft.p99", 0.2),)]
)
def test_further_limits_stand_once_with_their_percentile(further: tuple[tuple[str, float], ...]) -> None:
    with pytest.raises(InputError, match="a limit stands twice or has no percentile of its own"):
        Slo(ttft=0.5, further=further)


def test_a_latency_that_is_limited_at_the_percentile_of_the_slo_is_shown_once() -> None:
    alone = Slo(further=(("ttft.p99", 0.4),))
    assert [one.name for one in alone.latencies()] == ["ttft.p99", "tpot"]
    assert [one.name for one in replace(alone, percentile=0.95).latencies()] == ["ttft", "tpot", "ttft.p99"]


def test_a_further_limit_is_above_zero() -> None:
    with pytest.raises(InputError, match=r"SLO on ttft\.p50"):
        Slo(further=(("ttft.p50", 0.0),))


def test_a_limit_is_moved_and_taken_away() -> None:
    shared, median, _ = TWO.limits()
    assert TWO.moved(shared, 0.4) == Slo(ttft=0.4, further=TWO.further)
    assert TWO.moved(shared, None).limit_on(shared) is None
    assert TWO.moved(median, 0.1).further == (("ttft.p50", 0.1), ("e2e.p99.9", 20.0))
    assert TWO.moved(median, None).further == (("e2e.p99.9", 20.0),)


def test_an_slo_without_further_limits_is_told_as_it_always_was() -> None:
    assert dumps(Slo(ttft=0.5)) == '{"e2e":null,"percentile":0.99,"tpot":null,"ttft":0.5}'
    assert digest(TWO) != digest(Slo(ttft=0.5))
    assert from_plain(Slo, to_plain(TWO)) == TWO


def test_a_pool_that_was_seen_without_a_limit_has_no_figure_for_it() -> None:
    pool = PoolEvidence(name="all", ttft=Estimate(value=0.4), tpot=Estimate(value=0.03), utilization=0.8, batch=40.0)
    assert pool.at(Limit(metric="ttft", seconds=1.0)).value == 0.4
    assert pool.at(Latency(metric="ttft", percentile=0.5)).value is None


CLASSED = Slo(ttft=0.5, further=(("batch.ttft", 60.0), ("batch.ttft.p50", 10.0), ("ttft.p50", 0.2)))


@pytest.mark.parametrize("name", ["batch.ttft", "batch.e2e.p99.9"])
def test_a_latency_of_class_batch_is_found_by_its_name(name: str) -> None:
    assert Latency.named(name).name == name
    assert Latency.named(name).batch


def test_a_limit_of_class_batch_says_so_and_stands_beside_the_same_of_the_others() -> None:
    assert [one.label for one in CLASSED.limits()] == ["TTFT", "batch TTFT", "P50 batch TTFT", "P50 TTFT"]
    assert [one.column for one in CLASSED.own()] == ["batch_ttft", "p50_batch_ttft", "p50_ttft"]
    assert [one.name for one in CLASSED.shared()] == ["ttft"]
    assert [one.name for one in CLASSED.shared(batch=True)] == ["batch.ttft"]
    assert CLASSED.share(Latency.named("batch.ttft")) == 0.99
    assert CLASSED.moved(CLASSED.own()[0], 30.0).own()[0].seconds == 30.0
    with pytest.raises(InputError, match="a limit stands twice"):
        Slo(further=(("batch.ttft", 60.0), ("batch.ttft.p99", 50.0)))


def test_a_latency_of_class_batch_is_never_taken_for_that_of_the_others() -> None:
    pool = PoolEvidence(name="all", ttft=Estimate(value=0.1), tpot=Estimate(value=0.1), utilization=0.5, batch=1.0)
    assert pool.at(Latency.named("ttft")).value == 0.1
    assert pool.at(Latency.named("batch.ttft")).value is None


def test_all_of_class_batch_is_told_among_further_latencies() -> None:
    slo = Slo(ttft=1.0, further=(("batch.ttft", 60.0), ("ttft.p50", 0.2)))
    assert [one.name for one in further_latencies(slo.own(), classed=True)] == [
        "batch.ttft",
        "ttft.p50",
        "batch.tpot",
        "batch.e2e",
    ]
    assert [one.name for one in further_latencies(slo.own(), classed=False)] == ["batch.ttft", "ttft.p50"]
