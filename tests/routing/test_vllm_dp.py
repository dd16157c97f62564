"""The router `vllm-dp`: four running requests weigh as much as one that waits."""

from types import SimpleNamespace

from fleettui.routing.vllm_dp import choose


def test_it_weighs_waiting_against_running() -> None:
    loads = [(5, 4), (7, 7), (6, 6), (2, 0), (6, 6)]
    seen = [SimpleNamespace(load=load, running=running) for load, running in loads]
    pool = SimpleNamespace(start=0, replicas=5)
    assert [choose(SimpleNamespace(seen=seen), pool, SimpleNamespace(tie=tie)) for tie in (0.1, 0.9)] == [2, 4]
