"""Every run is held to its sums; here each is spoiled once, and the check must notice."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from fleettui.simulation import conservation, kernel
from fleettui.simulation.draws import Draws
from fleettui.simulation.layout import Engine, State, prepare
from tests.simulation.samples import engine, requests

BLOCKS = [12, 40]
ENGINES = [engine(blocks=12, places=4, replicas=2), engine(blocks=40, places=4, replicas=2)]


def work() -> Draws:
    rng = np.random.default_rng(5)
    lengths = [(int(prompt), int(output)) for prompt, output in rng.integers(1, 60, (200, 2))]
    return requests(
        *lengths, arrivals=np.cumsum(rng.exponential(0.008, 200)).tolist(), pool=rng.integers(0, 2, 200).tolist()
    )


def stopped(last: int = 60, engines: list[Engine] | None = None) -> State:
    """Return a run that was stopped in the middle: some are served, some run, some wait, some did not arrive."""
    state = prepare(engines or ENGINES, work())
    kernel.run(state, 0, last, True)
    return state


def test_a_run_that_was_left_alone_adds_up() -> None:
    for last in (1, 60, 120, 200):
        conservation.check(stopped(last), BLOCKS)
    state = stopped()
    assert (state.pools["completed"] > 0).all()
    assert (state.pools["present"] > 0).all()
    assert (state.replicas["load"] > 1).any()
    assert decoding(state)
    assert np.isnan(state.requests["admitted"]).any()
    assert state.pools["preempted"].any()


def test_the_records_of_a_run_are_read_where_they_are() -> None:
    state = stopped(200)
    many = state._replace(requests=np.tile(state.requests, 500), pools=state.pools.copy())
    for name in ("arrived", "completed", "presence"):
        many.pools[name] *= 500
    tracemalloc.start()
    conservation.check(many, BLOCKS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.4 * many.requests.nbytes, "copies of them took half as long as the run itself"


def test_so_does_one_before_anything_arrived() -> None:
    conservation.check(prepare(ENGINES, work()), BLOCKS)


def served(state: State, pool: int) -> int:
    """Return a request of `pool` that was served after it had waited."""
    own = (state.requests["pool"] == pool) & np.isfinite(state.requests["finish"])
    return int(np.flatnonzero(own)[-1])


def decoding(state: State) -> tuple[int, int]:
    """Return the replica and the slot of a sequence that decodes."""
    replica, slot = np.argwhere((state.slots["request"] >= 0) & (state.slots["ends"] >= 0))[0]
    return int(replica), int(slot)


def drop_a_served_one(state: State) -> None:
    state.requests["finish"][served(state, 0)] = np.nan


def serve_one_that_is_inside(state: State) -> None:
    inside = np.isfinite(state.requests["admitted"]) & np.isnan(state.requests["finish"])
    row = np.flatnonzero(inside)[0]
    state.requests["first"][row] = state.requests["finish"][row] = state.requests["admitted"][row] + 1


def count_an_arrival_twice(state: State) -> None:
    state.pools["arrived"][1] += 1


def complete_one_too_many(state: State) -> None:
    state.pools["completed"][0] += 1


def forget_one_that_is_present(state: State) -> None:
    state.pools["present"][0] -= 1


def lose_one_on_both_sides(state: State) -> None:
    state.pools["present"][0] -= 1
    state.pools["arrived"][0] -= 1


def send_one_to_another_pool(state: State) -> None:
    waiting = np.flatnonzero(np.isnan(state.requests["finish"]) & (state.requests["pool"] == 0))
    state.requests["pool"][waiting[0]] = 1


def stay_longer_than_was_counted(state: State) -> None:
    state.pools["presence"][0] *= 1 + 1e-7


def arrive_later_than_was_counted(state: State) -> None:
    state.requests["arrival"][served(state, 1)] -= 0.001


def begin_before_the_arrival(state: State) -> None:
    row = served(state, 0)
    state.requests["admitted"][row] = state.requests["arrival"][row] - 0.001


def answer_before_the_admission(state: State) -> None:
    row = served(state, 0)
    state.requests["first"][row] = state.requests["admitted"][row]


def end_before_the_first_token(state: State) -> None:
    row = served(state, 1)
    state.requests["first"][row] = state.requests["finish"][row] + 0.001


def never_be_admitted(state: State) -> None:
    state.requests["admitted"][served(state, 1)] = np.nan


def free_a_block_twice(state: State) -> None:
    state.replicas["free"][0] += 1


def keep_a_block(state: State) -> None:
    state.replicas["free"][3] -= 1


def grow_without_a_block(state: State) -> None:
    replica, slot = decoding(state)
    state.slots["offset"][replica, slot] += 16


def leave_a_slot_without_its_blocks(state: State) -> None:
    replica, slot = np.argwhere(state.slots["request"] >= 0)[0]
    state.slots["request"][replica, slot] = -1


SPOILED: dict[Callable[[State], None], str] = {
    drop_a_served_one: "served, .* counted",
    serve_one_that_is_inside: "served, .* counted",
    count_an_arrival_twice: "requests were lost",
    complete_one_too_many: "served, .* counted",
    forget_one_that_is_present: "requests were lost",
    lose_one_on_both_sides: "in the system, .* counted|Little's law",  # whichever arrived last
    send_one_to_another_pool: "in the system, .* counted",
    stay_longer_than_was_counted: "Little's law",
    arrive_later_than_was_counted: "Little's law",
    begin_before_the_arrival: "out of order",
    answer_before_the_admission: "out of order",
    end_before_the_first_token: "out of order",
    never_be_admitted: "out of order",
    free_a_block_twice: "blocks were lost",
    keep_a_block: "blocks were lost",
    grow_without_a_block: "blocks were lost",
    leave_a_slot_without_its_blocks: "blocks were lost",
}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_what_does_not_add_up_is_noticed(spoil: Callable[[State], None]) -> None:
    state = stopped()
    spoil(state)
    with pytest.raises(AssertionError, match=SPOILED[spoil]):
        conservation.check(state, BLOCKS)


def test_more_blocks_held_than_there_are() -> None:
    """The sum still holds, with a negative rest."""
    state = stopped()
    replica, slot = decoding(state)
    state.slots["offset"][replica, slot] += 16 * 1_000
    state.replicas["free"][replica] -= 1_000
    with pytest.raises(AssertionError, match="more blocks are held than there are"):
        conservation.check(state, BLOCKS)


def test_the_blocks_are_those_of_the_pool() -> None:
    with pytest.raises(AssertionError, match="pool 1: blocks were lost"):
        conservation.check(stopped(), [12, 41])
