"""The router spillover: a longer pool helps out where requests queue in a request's own."""

from fleettui.routing.spillover import LONG, across
from tests.routing.views import part_of_view


def test_a_request_goes_to_the_next_longer_pool_without_a_long_queue() -> None:
    queues, free = part_of_view(waiting=LONG), part_of_view(waiting=LONG - 1)
    request = part_of_view(pool=0)
    assert across([free, free, free], request) == 0
    assert across([queues, free, free], request) == 1
    assert across([queues, queues, free], request) == 2
    assert across([queues, queues, queues], request) == 0
    assert across([free, queues, queues], part_of_view(pool=1)) == 1
