"""The router `vllm-dp`: four running requests weigh as much as one that waits."""

from fleettui.routing.vllm_dp import choose
from tests.routing.views import part_of_view


def test_it_weighs_waiting_against_running() -> None:
    loads = [(5, 4), (7, 7), (6, 6), (2, 0), (6, 6)]
    seen = [part_of_view(load=load, running=running) for load, running in loads]
    pool = part_of_view(start=0, replicas=5)
    assert [choose(part_of_view(seen=seen), pool, part_of_view(tie=tie)) for tie in (0.1, 0.9)] == [2, 4]
