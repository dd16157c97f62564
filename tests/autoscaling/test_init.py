"""The policies by name, and what each file's policy does from signals alone."""

from pathlib import Path

import pytest

from fleettui.autoscaling.policies import POLICIES
from fleettui.autoscaling.policies.saturation import spare, without_one
from fleettui.autoscaling.policy import ReplicaLoad, Signals
from fleettui.domain.autoscale import Rules, Site
from fleettui.domain.day import Day, Window

FOLDER = Path(__file__).parents[2] / "fleettui/autoscaling/policies"
DAY = Day(name="mine", windows=(Window(start=0, end=3600, rate=2.0), Window(start=3600, end=7200, rate=8.0)))
SITE = Site(slots=10.0, service_time=5.0, replica_rate=2.0, delay=120.0, least=1, most=20, rules=Rules(), day=DAY)


def seen(now: float = 15.0, **changes: float) -> Signals:
    given = {"arrived": 60, "rejected": 0, "in_flight": 20, "waiting": 0, "busy": 1.0, "ready": 2, "provisioned": 2}
    given |= {"completed": 0, "sojourn": 0.0}
    loads = (ReplicaLoad(waiting=0, cache=0.3),) * 2
    return Signals(now=now, seconds=15.0, replicas=lambda: loads, **(given | changes))  # type: ignore[arg-type]


def target(policy: str, *signals: Signals) -> int:
    own = POLICIES.named(policy).start(SITE)
    return [own.decide(one).target for one in signals][-1]


def test_every_file_is_a_policy_with_its_words() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}
    assert files == set(POLICIES.names)
    assert all(policy.help and policy.law for policy in POLICIES)
    assert [one.name for one in POLICIES if one.constant] == ["static-peak", "static-mean"]
    assert [one.name for one in POLICIES if one.foresees] == ["oracle"]
    assert all(getattr(Rules(), knob.rule) in knob.values for one in POLICIES for knob in one.knobs)


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        ("static-peak", 4),  # 8/s of 2/s each
        ("static-mean", 3),  # 5/s
        ("hpa-utilization", 3),  # 2 x 100 % / 70 %
        ("hpa-in-flight", 3),  # 20 / 7
        ("keda", 2),  # 20 running, 10 each
        ("keda-queue", 2),  # nothing waits, but it was two a moment ago
        ("knative", 3),  # 20 / 7
        ("throughput", 2),  # its interval is not over
        ("saturation", 2),  # its minute is not over
        ("estimator", 2),  # 4/s x 5 s = 20
        ("estimator-beta", 3),  # 26.7
        ("symmetric", 3),
        ("forecast", 3),
        ("oracle", 3),  # 2/s are coming, 4/s are seen
    ],
)
def test_what_each_wants_of_twenty_in_flight(policy: str, wanted: int) -> None:
    assert target(policy, seen()) == wanted


def test_throughput_follows_the_rate_of_its_interval() -> None:
    assert target("throughput", *(seen(15.0 * at) for at in range(1, 13))) == 2
    assert target("throughput", *(seen(15.0 * at, arrived=150) for at in range(1, 13))) == 5


def loaded(at: int, seconds: float, in_flight: int = 20, **changes: float) -> Signals:
    """Return a cycle that completed 60 requests in so many seconds each."""
    return seen(15.0 * at, in_flight=in_flight, completed=60, sojourn=60 * seconds, **changes)


def test_throughput_adds_one_where_requests_will_take_longer_than_planned_and_never_goes_below_the_rate() -> None:
    calm, slow = (5.0 * load / 10.0 for load in (8, 14))
    rising = [loaded(at, calm, in_flight=16) for at in range(1, 12)]
    assert target("throughput", *rising, loaded(12, slow, in_flight=28)) == 3
    assert target("throughput", *rising, loaded(12, slow, in_flight=28, provisioned=3)) == 3  # one starts
    assert target("throughput", *rising, loaded(12, 4.0, in_flight=16)) == 2
    falling = [loaded(at, 1.0, in_flight=8, ready=4, provisioned=4) for at in range(1, 13)]
    assert target("throughput", *falling) == 3
    assert target("throughput", *[one._replace(arrived=120) for one in falling]) == 4
    own = POLICIES.named("throughput").start(SITE)
    words = [own.decide(one).reason() for one in [*rising, loaded(12, slow, in_flight=28)]]
    assert (words[0], words[-1].split("; ")[1]) == ("the first interval is not over", "7 s foretold, 5 s planned: 3")


def test_the_oracle_launches_one_delay_ahead_and_a_trend_is_carried_on() -> None:
    assert target("oracle", seen(3400.0)) == 3
    assert target("oracle", seen(3500.0)) == 5
    rising = [seen(15.0 * at, arrived=6 * at, in_flight=0) for at in range(1, 21)]
    assert target("forecast", *rising) > target("estimator-beta", *rising)


def test_knative_panics_at_twice_what_is_ready_and_does_not_go_down_in_it() -> None:
    calm = [seen(15.0 * at) for at in range(1, 5)]
    assert target("knative", *calm) == 3
    assert target("knative", *calm, seen(75.0, in_flight=70)) == 10
    assert target("knative", *calm, seen(75.0, in_flight=70), seen(90.0, in_flight=0, provisioned=10)) == 10
    after = [seen(90.0 + 15.0 * at, in_flight=0, provisioned=10) for at in range(5)]
    assert target("knative", *calm, seen(75.0, in_flight=70), *after) == 1


def test_a_symmetric_estimate_lags_upwards() -> None:
    steady = [seen(15.0 * at) for at in range(1, 21)]
    jump = seen(315.0, arrived=600, in_flight=20)
    assert target("symmetric", *steady, jump) < target("estimator-beta", *steady, jump)


def test_saturation_adds_one_where_too_little_is_to_spare() -> None:
    full = (ReplicaLoad(waiting=0, cache=0.75), ReplicaLoad(waiting=9, cache=0.9))
    assert spare(full) == pytest.approx((0.05, 5.0))
    assert spare(full[1:]) == (0.0, 0.0)
    assert [one.cache for one in without_one(full)] == [1.5]
    own = POLICIES.named("saturation").start(SITE)
    busy = seen(60.0, waiting=9)._replace(replicas=lambda: full)
    assert own.decide(busy).target == 3
    idle = (ReplicaLoad(waiting=0, cache=0.1),) * 2
    assert target("saturation", seen(60.0, ready=2)) == 1
    assert spare(without_one(idle)) == pytest.approx((0.6, 5.0))
