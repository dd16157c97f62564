"""One replica step by step, computed by hand; each case is run with leaps, without, and by the plain twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.simulation.blocks import blocks_of
from fleettui.simulation.layout import prepare
from tests.simulation.samples import WAYS, H, P, W, engine, finished, requests, story

each_way = pytest.mark.parametrize("way", WAYS)


def close(*values: float) -> object:
    return pytest.approx(list(values), rel=0, abs=1e-12)


def decoding(first: int, last: int) -> float:
    """Return the seconds of one sequence's decode steps at contexts from `first` to `last`, ends included."""
    return sum(W + H * context for context in range(first, last + 1))


@each_way
def test_alone_its_first_token_takes_the_floor_and_then_a_step_each(way: str) -> None:
    found = story(way, [engine(budget=32)], requests((100, 4), arrivals=[0.5], cached=[20]))
    k, c, cached, uncached = 3, 32, 20, 80
    floor = k * W + H * (c * k * (k - 1) / 2 + (k - 1) * cached + 100) + P * uncached
    assert floor == pytest.approx(3 * W + H * (52 + 84 + 100) + P * 80)
    assert found.admitted == [0.5]
    assert found.first == close(0.5 + floor)
    assert found.finish == close(0.5 + floor + decoding(101, 103))
    assert found.prompted in (None, 80)


@each_way
def test_one_output_token_is_the_prompts(way: str) -> None:
    found = story(way, [engine()], requests((64, 1), arrivals=[0.0]))
    assert found.first == found.finish == close(W + H * 64 + P * 64)


@each_way
def test_two_prompts_share_a_budget_and_a_decode_takes_one_token_of_it(way: str) -> None:
    found = story(way, [engine()], requests((100, 3), (60, 1)))
    one = W + H * 64 + P * 64  # a's first 64
    two = one + W + H * (100 + 28) + P * 64  # a's last 36, and 28 of b
    three = two + W + H * (101 + 60) + P * 32  # a decodes, b's last 32
    four = three + W + H * 102
    assert found.admitted == close(0.0, one)
    assert found.first == close(two, three)
    assert found.finish == close(four, three)
    assert found.prompted in (None, 160)


@each_way
def test_decodes_go_first_and_a_prompt_gets_what_is_left(way: str) -> None:
    found = story(way, [engine(budget=4, places=4, per_context=0, per_prompt=0)], requests((2, 3), (1, 4), (9, 2)))
    # Steps: a 2 | a decodes, b 1, c 2 | a b decode, c 2 | b decodes, c 3 | b decodes, c 2: first | c decodes
    assert found.admitted == close(0, W, W)
    assert found.first == close(W, 2 * W, 5 * W)
    assert found.finish == close(3 * W, 5 * W, 6 * W)


@each_way
@pytest.mark.parametrize("whole", [False, True])
def test_a_whole_prompt_waits_for_a_step_with_room_for_all_of_it(way: str, whole: bool) -> None:
    """Beside a decode there is room for 63 tokens: 50, and 13 of 20 where these may be cut."""
    found = story(way, [engine(whole=whole)], requests((40, 3), (50, 1), (20, 1)))
    one = W + (H + P) * 40
    two = one + W + H * (41 + 50) + P * 50
    if whole:
        three = two + W + H * (42 + 20) + P * 20
    else:
        two += (H + P) * 13
        three = two + W + H * (42 + 20) + P * 7
    assert found.admitted == close(0.0, one, two if whole else one)
    assert found.first == close(one, two, three)
    assert found.prompted in (None, 110)


@each_way
def test_a_prompt_as_long_as_the_budget_waits_until_nobody_decodes(way: str) -> None:
    found = story(way, [engine(whole=True)], requests((8, 5), (64, 1), (8, 1), arrivals=[0.0, 1e-6, 2e-6]))
    end = W + (H + P) * 8 + decoding(9, 12)
    assert found.admitted == close(0.0, end, end + W + (H + P) * 64)


@each_way
def test_what_has_grown_beyond_the_budget_is_computed_again_in_whole_steps(way: str) -> None:
    """A prompt of 60 and what it put out, 9 tokens, where a step has 64: 64 alone, then the others."""
    draws = requests((60, 30), (60, 30), arrivals=[0.0, 1e-6])
    found = story(way, [engine(blocks=9, whole=True)], draws)
    assert found.preempted == 1
    assert found.prompted in (None, 60 + 60 + 60 + 5)
    assert found.finish[0] < found.finish[1]


@each_way
def test_of_a_whole_prompt_what_is_cached_takes_no_room(way: str) -> None:
    draws = requests((8, 1), (40, 1), (60, 1), cached=[0, 0, 36])
    found = story(way, [engine(whole=True)], draws)
    assert found.admitted == close(0.0, W + (H + P) * 8, W + (H + P) * 8)


@each_way
@pytest.mark.parametrize(("prompt", "waits"), [(64, False), (65, True)])
def test_admission_leaves_the_watermark_free(way: str, prompt: int, waits: bool) -> None:
    """Of 10 blocks the first takes 4; another 4 leave the watermark of 2, another 5 do not."""
    starved = engine(budget=200, blocks=10, watermark=2)
    found = story(way, [starved], requests((60, 4), (prompt, 1), arrivals=[0.0, 1e-6]))
    first = W + H * 60 + P * 60
    end = first + decoding(61, 63)
    if waits:
        assert found.admitted == close(0.0, end)
    else:
        assert found.admitted == close(0.0, first)
        assert found.first[1] == pytest.approx(first + W + H * (61 + prompt) + P * prompt, abs=1e-12)


@each_way
def test_the_watermark_holds_nothing_back_from_an_idle_replica(way: str) -> None:
    found = story(way, [engine(blocks=10, watermark=9, budget=200)], requests((160, 1)))
    assert found.admitted == [0.0]


@each_way
def test_a_head_that_does_not_fit_holds_back_the_queue(way: str) -> None:
    found = story(way, [engine(blocks=10, budget=200)], requests((80, 2), (96, 1), (16, 1), arrivals=[0, 1e-6, 2e-6]))
    end = W + (H + P) * 80 + decoding(81, 81)
    assert found.admitted == close(0.0, end, end)


@each_way
def test_a_preempted_sequence_computes_prompt_and_output_again(way: str) -> None:
    """Four blocks for two sequences that grow to three each: the later gives way when the earlier needs its third."""
    found = story(way, [engine(blocks=4)], requests((16, 20), (16, 20), arrivals=[0.0, 1e-6]))
    at = [0.0, W + H * 16 + P * 16]  # a's prompt
    at.append(at[-1] + W + H * (17 + 16) + P * 16)  # a decodes, b's prompt: its first token
    at += [0.0] * 22
    for step in range(3, 18):  # both decode; a has 17 + step - 2 tokens in the cache, b one fewer
        at[step] = at[step - 1] + W + H * (15 + step + 14 + step)
    for step in range(18, 21):  # a's 33rd token needs a third block: b, with 16 tokens put out, is gone
        at[step] = at[step - 1] + W + H * (15 + step)
    at[21] = at[20] + W + H * 32 + P * 32  # b's prompt and output so far: its 17th token
    for step in range(22, 25):
        at[step] = at[step - 1] + W + H * (11 + step)
    assert found.preempted == 1
    assert found.admitted == close(0.0, at[1])  # for the first time
    assert found.first == close(at[1], at[2])
    assert found.finish == close(at[20], at[24])
    assert found.prompted in (None, 16 + 16 + 32)


@each_way
def test_after_a_preemption_the_cached_prefix_is_not_computed_again(way: str) -> None:
    draws = requests((16, 20), (16, 20), arrivals=[0.0, 1e-6], cached=[0, 10])
    assert story(way, [engine(blocks=4)], draws).prompted in (None, 16 + 6 + 22)


@each_way
def test_the_preempted_goes_to_the_head_of_the_queue(way: str) -> None:
    draws = requests((16, 20), (16, 20), (16, 1), arrivals=[0.0, 1e-6, 0.05])
    found = story(way, [engine(blocks=4)], draws)
    assert found.preempted == 1
    assert found.admitted[2] >= found.finish[0]
    assert found.first[2] > found.first[1]


@each_way
def test_a_reserved_place_is_kept_until_its_request_is_complete(way: str) -> None:
    found = story(way, [engine(places=2)], requests((10, 3), (10, 6), (10, 1), arrivals=[0.0, 0.0, 0.0]))
    assert found.admitted[2] == found.finish[0] < found.finish[1]


@each_way
def test_an_arrival_at_a_steps_end_gets_into_the_next_step(way: str) -> None:
    steady = engine(base=0.5, per_context=0, per_prompt=0)
    found = story(way, [steady], requests((1, 9), (1, 1), (1, 1), arrivals=[0.0, 1.0, 2.0 + 1e-9]))
    assert found.admitted == [0.0, 1.0, 2.5]
    assert found.finish == [4.5, 1.5, 3.0]


@each_way
def test_a_closed_loop_without_think_time_keeps_its_clients_busy(way: str) -> None:
    """Two clients at one place: a request a second for ever, each waiting for the other's."""
    steady = engine(base=1.0, per_context=0, per_prompt=0, places=1)
    found = story(way, [steady], requests(*[(1, 1)] * 6, clients=2))
    assert found.arrival == [0, 0, 1, 2, 3, 4]
    assert found.admitted == [0, 1, 2, 3, 4, 5]
    assert found.finish == [1, 2, 3, 4, 5, 6]


@each_way
def test_what_a_completion_sets_off_comes_after_the_next_step_began(way: str) -> None:
    steady = engine(base=1.0, per_context=0, per_prompt=0)
    found = story(way, [steady], requests((1, 4), (1, 1), (1, 1), (1, 1), clients=2))
    # The second client asks again at 2, when the step of the first one's decode has just begun.
    assert found.arrival == [0, 0, 2, 4]
    assert found.admitted == [0, 1, 3, 4]


@each_way
def test_clients_think_after_an_answer(way: str) -> None:
    steady = engine(base=1.0, per_context=0, per_prompt=0)
    found = story(way, [steady], requests((1, 2), (1, 1), (1, 1), clients=1, thinking=[0.25, 3.0, 9.0]))
    assert found.arrival == [0, 2.25, 6.25]


@each_way
def test_tokens_wait_for_those_before_them_until_they_are_handed_out(way: str) -> None:
    """Steps of 1 s end with two tokens that take .75 s each: half a second more is left after each of them."""
    slow = engine(base=1.0, per_context=0, per_prompt=0, api_token=0.75)
    found = story(way, [slow], requests((1, 4), (1, 3)))
    assert found.first == close(1.75, 3.5)
    assert found.finish == close(6.5, 6.5)
    late = story(way, [slow], requests((1, 1), (1, 1), (1, 1), arrivals=[0.0, 0.5, 4.0]))
    assert late.finish == close(1.75, 2.75, 5.75)


@each_way
def test_what_is_left_of_a_burst_is_handed_out_while_steps_go_on(way: str) -> None:
    """The second step leaves 8 tokens of half a second each, then one request decodes in steps of 1 s, or of 3."""
    burst = engine(base=1.0, per_context=0, per_prompt=1 / 8, api_token=0.5)
    slow = story(way, [burst], requests((1, 5), *[(1, 1)] * 7))
    assert slow.first == close(1.625, *[7.0] * 7)
    assert slow.finish == close(8.5, *[7.0] * 7)
    later = story(way, [replace(burst, base=3.0)], requests((1, 5), *[(1, 1)] * 7))
    assert later.finish[0] == pytest.approx(3.125 + 3.875 + 3 * 3.0 + 0.5)


@each_way
def test_a_client_asks_again_when_it_has_its_last_token(way: str) -> None:
    steady = engine(base=1.0, per_context=0, per_prompt=0, api_token=0.5)
    found = story(way, [steady], requests((1, 1), (1, 1), clients=1))
    assert found.arrival == [0, 1.5]
    assert found.finish == [1.5, 3.0]


@each_way
def test_the_lanes_of_an_instance_wait_for_each_others_stages(way: str) -> None:
    """Two lanes, two stages: a prompt of 4 s holds each stage for 2 s, and the other lane's steps of 1 s follow it."""
    piped = engine(base=1.0, per_context=0, per_prompt=3 / 8, replicas=2, lanes=2, budget=64)
    found = story(way, [piped], requests((8, 1), (8, 1)))
    assert found.first == close(4.0, 6.0)  # the second enters stage one at 2, and stage two at 4
    later = story(way, [replace(piped, per_prompt=0.0)], requests((1, 3), (1, 3), arrivals=[0.0, 0.5]))
    assert later.finish == close(3.0, 3.5)  # in step with each other, nobody waits
    late = story(way, [replace(piped, per_prompt=0.0)], requests((1, 3), (1, 3), arrivals=[0.0, 0.75]))
    assert late.first == close(1.0, 1.75)
    assert late.finish == close(3.25, 3.75)  # the first waits a quarter once; then they are in step


@pytest.mark.parametrize("size", [1, 2, 16, 32, 64])
def test_blocks_hold_as_many_tokens_as_the_engine_says(size: int) -> None:
    own = engine(block=size)
    replica = prepare([own], requests((1, 1))).replicas[0]
    for tokens in np.array((0, 1, size, size + 1, 2 * size, 2 * size + 1, 1000)):  # of 64 bits, as the engine has them
        assert blocks_of(replica, tokens) == own.blocks_of(tokens) == -(-tokens // size)


@each_way
@pytest.mark.parametrize(("size", "blocks"), [(1, 39), (4, 10), (16, 3), (32, 2)])
def test_a_larger_block_leaves_more_of_the_cache_unused(way: str, size: int, blocks: int) -> None:
    """A prompt of 20 joins one of 16 that decodes where both find blocks: of one token 39 hold them, of 32 two."""
    found = story(way, [engine(block=size, blocks=blocks)], requests((16, 4), (20, 2), arrivals=[0.0, 1e-6]))
    waits = found.admitted[1] > found.first[0]
    assert waits == (-(-19 // size) + -(-20 // size) > blocks)


def test_sums_are_those_of_the_steps() -> None:
    """The first case again: 3 prompt steps and 3 decodes of one sequence, busy from arrival to finish."""
    state = finished([engine(budget=32)], requests((100, 4), arrivals=[0.5], cached=[20]))
    pool = state.pools[0]
    span = state.requests["finish"][0] - 0.5
    assert (pool["steps"], pool["joined"], pool["prompted"], pool["decoded"]) == (6, 6, 80, 3)
    assert (pool["busy"], pool["active"], pool["presence"]) == pytest.approx((span, span, span), abs=1e-12)
