"""The loop of a pool whose replicas come and go: leaps end where a limit changes, and step by step is the same."""

import numpy as np

from fleettui.simulation.conservation import check_elastic
from fleettui.simulation.elastic import ElasticPool
from fleettui.simulation.elastic_loop import advance
from tests.simulation.samples import engine
from tests.simulation.test_elastic import traffic


def test_a_limit_on_the_batch_holds_from_its_moment_on_and_leaps_end_where_it_is_lifted() -> None:
    pools = [ElasticPool.of(engine(blocks=400), traffic(40.0), replicas=2, most=2) for _ in range(2)]
    for pool, leaping in zip(pools, (True, False), strict=True):
        for until, places in ((4.0, 3), (9.0, 8), (np.inf, None)):
            advance(pool.state, None, pool.tally, until, pool.queue, pool.away, 2, leaping, pool.finished)
            pool.now = until
            if places is not None:
                pool.limit(places)
                running = pool.state.replicas["running"].copy()
                advance(pool.state, None, pool.tally, until + 1.5, pool.queue, pool.away, 2, leaping, pool.finished)
                if places == 3:
                    assert (running > 3).any()
                    assert (pool.state.replicas["running"] <= 3).all()
        check_elastic(pool)
    for name in ("admitted", "first", "finish"):
        leapt, stepped = (pool.state.requests[name] for pool in pools)
        np.testing.assert_allclose(leapt, stepped, rtol=1e-9)
