from dataclasses import replace

from fleettui.domain.plan import Look, Verdict
from fleettui.planning.unproven_sizes import unproven_gpus
from tests.planning.test_unproven_rates import look as made
from tests.planning.trials import shape


def seen(rate: float, verdict: Verdict, replicas: int) -> Look:
    found = made(rate, verdict)
    (pool,) = found.candidate.fleet.pools[:1]
    fleet = replace(found.candidate.fleet, pools=(replace(pool, replicas=replicas),))
    return replace(found, candidate=replace(found.candidate, fleet=fleet))


def test_a_replica_less_is_open_where_its_runs_do_not_tell_and_no_others_do() -> None:
    (pool,) = shape(2).fleet.pools[:1]
    fleet = replace(shape(2).fleet, pools=(replace(pool, replicas=3),))
    holds, opened, fails = seen(9.0, "pass", 3), seen(9.0, "unproven", 2), seen(9.0, "fail", 2)
    assert unproven_gpus(fleet, [holds, opened], 9.0) == (pool.gpus_per_replica,)
    assert unproven_gpus(fleet, [holds, opened, fails], 9.0) is None
    assert unproven_gpus(fleet, [holds, opened], 8.0) is None, "at another rate"
    assert unproven_gpus(fleet, [holds, seen(9.0, "unproven", 1)], 9.0) is None
