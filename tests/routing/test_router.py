"""What every router must do: the kernel chooses as its twin does, and no formula is too hopeful."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fleettui.routing import ROUTERS, length_pools
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import UNLIMITED
from tests.repeated import few
from tests.simulation.samples import engine, finished
from tests.simulation.twins import fleet, played_alike

REPLICAS, STEPS, BUSY, COUNT = 4, 20, 0.8, 200_000


@pytest.mark.parametrize("name", ROUTERS.names)
@pytest.mark.parametrize("seed", few(range(12), 1))
def test_the_kernel_is_its_twin(name: str, seed: int) -> None:
    engines, draws = fleet(seed)
    played_alike([replace(one, router=name) for one in engines], draws)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [one.name for one in ROUTERS if one.knows])
@pytest.mark.parametrize(("seed", "refresh"), few([(seed, (0.013, 0.5)[seed % 2]) for seed in range(6)], 1, more=1))
def test_the_kernel_is_its_twin_where_the_router_looks_from_time_to_time(name: str, seed: int, refresh: float) -> None:
    engines, draws = fleet(seed)
    played_alike([replace(one, router=name, refresh=refresh) for one in engines], draws)


def test_what_a_line_of_warning_has_no_room_for_is_refused() -> None:
    with pytest.raises(AssertionError, match="a name has 16 letters at most"):
        replace(ROUTERS.default, name="as-even-as-can-be")
    with pytest.raises(AssertionError, match="`differs` is 11 letters too long for one line"):
        replace(ROUTERS.default, differs="l" * 50)


@pytest.mark.parametrize("name", ROUTERS.names)
def test_every_request_has_a_pool_and_every_replica_its_share(name: str) -> None:
    atoms = ((0.5, 10.0, 5.0), (0.5, 100.0, 50.0))
    assert ROUTERS.named(name).route is length_pools.route
    parts = ROUTERS.named(name).route(atoms, ((0, 20), (20, 200)))
    assert sum(weight for part in parts for weight, _, _ in part) == pytest.approx(1.0)


def queues(
    name: str, *, replicas: int = REPLICAS, busy: float = BUSY, refresh: float = 0.0
) -> tuple[np.ndarray, float]:
    """Return the waits at replicas that serve one request at a time, and the mean of M/G/1 at the same load.

    A request takes so many steps of one second as it has output tokens, a geometric number (Pollaczek and Khinchine).
    """
    rng = np.random.default_rng(1)
    output = rng.geometric(1 / STEPS, COUNT).astype(np.int32)
    rate = busy / STEPS
    one, none = np.ones(COUNT, np.int32), np.zeros(COUNT, np.int32)
    draws = Draws(
        prompt=one,
        cached=none,
        output=output,
        pool=none,
        tie=rng.random(COUNT),
        arrivals=np.cumsum(rng.exponential(1 / (replicas * rate), COUNT)),
        thinking=np.zeros(0),
    )
    alone = engine(base=1.0, per_context=0.0, per_prompt=0.0, places=1, blocks=UNLIMITED, replicas=replicas)
    served = finished([replace(alone, router=name, refresh=refresh)], draws).requests
    second = STEPS**2 * (2 - 1 / STEPS)
    return served["admitted"] - served["arrival"], rate * second / (2 * (1 - busy))


@pytest.mark.parametrize("name", few((ROUTERS.names[-1], *ROUTERS.names[:-1]), 3, more=len(ROUTERS.names)))
def test_waits_are_no_longer_than_the_formulas_assume(name: str) -> None:
    """A replica that gets a Poisson stream of its own makes requests wait longest, and one common queue a quarter.

    The newest router stands last, and is held to that in every run.
    """
    waits, apart = queues(name)
    most = apart / REPLICAS * 1.5 if ROUTERS.named(name).one_queue else apart
    assert waits[COUNT // 20 :].mean() < 1.05 * most


@pytest.mark.parametrize("busy", few([0.7, 0.9], 1))
def test_two_choices_and_none_are_as_long_as_their_mean_field(busy: float) -> None:
    """M/M/1 queues: a share rho^(2^k - 1) of many holds k or more where the shorter of two is taken, else rho^k."""
    services = 1.0 - 0.5 / STEPS  # of scv 1 - 1/STEPS
    two = sum(busy ** (2**k - 2) for k in range(2, 8))
    for name, replicas, expected in (("power-of-two", 100, two), ("random", 4, busy / (1 - busy))):
        waits = queues(name, replicas=replicas, busy=busy)[0][COUNT // 20 :] / STEPS
        parts = waits[: len(waits) // 20 * 20].reshape(20, -1).mean(axis=1)
        half = 2.09 * parts.std(ddof=1) / math.sqrt(len(parts))
        assert abs(parts.mean() - expected * services) < half + 0.04 * expected, (name, parts.mean(), expected, half)
    shortest = queues("length", replicas=100, busy=busy)[0][COUNT // 20 :].mean() / STEPS
    assert shortest < two * services


@pytest.mark.evidence
def test_knowing_more_makes_requests_wait_for_less() -> None:
    """All requests of one look go to the same few replicas, and from some age on that is worse than chance."""
    waits = {name: queues(name, replicas=20, busy=0.7)[0].mean() for name in ("length", "power-of-two", "random")}
    assert waits["length"] < waits["power-of-two"] < waits["random"]
    old = [queues("length", replicas=20, busy=0.7, refresh=refresh)[0].mean() for refresh in (1.0, 10.0, 100.0)]
    assert waits["length"] < old[0] < old[1] < waits["random"] < old[2]
    counted = queues("vllm-dp", replicas=20, busy=0.7, refresh=10.0)[0].mean()
    assert waits["length"] < counted < old[1]
