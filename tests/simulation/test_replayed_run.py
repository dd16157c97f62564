"""Measured runs played again, by hand where one client runs alone."""

import statistics
from dataclasses import replace

import pytest

from fleettui.domain.hardware import StepTable
from fleettui.domain.validation import Comparison, MeasuredPoint
from fleettui.hardware import catalog, validation
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.validation import loop_of
from fleettui.simulation.replayed_run import MOST_REQUESTS, WARM_WAVES, WAVES, _draws, replayed, replayed_by

POINT = MeasuredPoint(
    line=2,
    model="llama-3.1-8b",
    gpu="h100",
    dtype="fp8",
    engine="trtllm",
    tp=1,
    prompt_tokens=1000,
    output_tokens=11,
    concurrency=1,
    ttft=0.1,
    tpot=0.005,
)


def compared(point: MeasuredPoint) -> Comparison:
    return replayed(validation.compare_point(point, "kernels"))


def test_one_client_alone_takes_the_steps_of_its_requests() -> None:
    table = loop_of(POINT, "kernels")[0].cost
    assert isinstance(table, StepTable)
    prompt = step_time(table, decodes=0, context_tokens=0, prompt_tokens=1000, attention_pairs=1000**2 / 2)
    decodes = [float(step_time(table, decodes=1, context_tokens=1000 + token)) for token in range(1, 11)]
    found = compared(POINT)
    front = catalog.engine("trtllm").front_end
    assert found.predicted_ttft == pytest.approx(float(prompt) + front.request + front.output_token, rel=1e-9)
    assert found.predicted_tpot == pytest.approx(statistics.fmean(decodes), rel=1e-9)


def test_clients_that_start_at_once_pile_up_and_in_a_steady_state_do_not() -> None:
    many = replace(POINT, concurrency=32, output_tokens=200)
    start, steady = compared(many), compared(replace(many, protocol="steady"))
    assert start.predicted_ttft > 1.2 * steady.predicted_ttft
    assert start.predicted_tpot == pytest.approx(steady.predicted_tpot, rel=0.1)


def test_clients_whose_lengths_do_not_differ_stay_in_step() -> None:
    """As 32 clients of vLLM 0.20.2 on one H100 did: a mean TTFT of .56 s, of .12 s where their outputs part them."""
    many = replace(POINT, engine="vllm", dtype="bf16", concurrency=32, prompt_tokens=1024, output_tokens=256)
    apart, together = compared(many), compared(replace(many, exact=True))
    assert apart.predicted_ttft < 0.15
    assert 0.35 < together.predicted_ttft < 0.56


def test_what_a_pile_adds_to_the_shortest_time_is_waiting() -> None:
    alone, pile = compared(POINT), compared(replace(POINT, concurrency=32, output_tokens=200))
    assert alone.waits == pytest.approx(0.0, abs=1e-9)
    assert pile.waits > 2.0 * (alone.predicted_ttft - alone.front_end)
    assert pile.predicted_ttft - pile.waits < 1.5 * alone.predicted_ttft


def test_arrivals_at_a_rate_wait_less_the_fewer_they_are() -> None:
    few, many = (
        compared(replace(POINT, output_tokens=100, protocol="open", request_rate=rate, requests=400))
        for rate in (1.0, 20.0)
    )
    assert few.predicted_ttft < many.predicted_ttft
    assert few.predicted_tpot < many.predicted_tpot


def test_what_never_fits_the_cache_keeps_what_the_formula_says() -> None:
    long = replace(POINT, prompt_tokens=900_000)
    assert replayed(plain := validation.compare_point(long, "kernels")) == plain


def test_a_fiftieth_of_the_cache_stays_free_where_somebody_runs() -> None:
    """Two clients whose requests fill 32 blocks of 32 tokens each: of 64 none is free beside both, and one has to."""
    two = replace(POINT, concurrency=2, output_tokens=8, exact=True)
    front = catalog.engine("trtllm").front_end
    table = loop_of(two, "kernels")[0].cost
    assert isinstance(table, StepTable)
    plain = validation.compare_point(two, "kernels")
    alone = replayed_by(validation.compare_point(replace(two, concurrency=1), "kernels"), table, 64, front)
    in_turn, beside = (replayed_by(plain, table, blocks, front) for blocks in (64, 65))
    assert in_turn.predicted_tpot == pytest.approx(alone.predicted_tpot)
    assert beside.predicted_tpot > 1.01 * alone.predicted_tpot
    assert beside.waits < in_turn.waits


LANES = replace(
    POINT, model="gpt-oss-120b", gpu="b200", dtype="mxfp4", tp=2, attention_dp=True, concurrency=8, output_tokens=100
)


@pytest.mark.thorough
def test_prompts_wait_for_those_of_other_lanes_where_the_recipe_has_them_begin_together() -> None:
    found, own = compared(LANES), catalog.engine("trtllm").built(catalog.gpu("b200"), "stock").front_end
    assert found.front_end == pytest.approx(own.request + 2 * 100 / 8 / 2 * found.predicted_tpot)
    assert compared(replace(LANES, attention_dp=False)).front_end == own.request


def test_tokens_that_are_handed_out_together_have_no_line() -> None:
    """One at a time 128 clients' tokens would take 11.5 ms of the API process for each step of 8."""
    many = replace(LANES, attention_dp=False, concurrency=128, prompt_tokens=100, output_tokens=1000)
    assert compared(many).predicted_tpot < 128 * catalog.engine("trtllm").front_end.output_token


def test_each_client_asks_as_often_as_the_protocol_says() -> None:
    four = replace(POINT, concurrency=4)
    assert _draws(four).requests == 4 * WAVES
    assert _draws(replace(four, protocol="steady")).requests == 4 * (WAVES + WARM_WAVES)
    assert (_draws(four).clients, _draws(four).arrivals) == (4, None)
    assert _draws(replace(four, concurrency=MOST_REQUESTS)).requests == MOST_REQUESTS
    at_a_rate = _draws(replace(four, protocol="open", request_rate=5.0, requests=2_000))
    assert (at_a_rate.requests, at_a_rate.clients) == (2_000, 0)
    assert at_a_rate.arrivals is not None
    assert at_a_rate.arrivals[-1] == pytest.approx(2_000 / 5.0, rel=0.1)


def test_uniform_lengths_are_from_four_fifths_of_the_longest_to_it() -> None:
    """As benches draw them: with a mean of 900 tokens from 800 to 1000."""
    many = replace(POINT, prompt_tokens=900, output_tokens=90, concurrency=2_000, uniform=True)
    draws = _draws(many)
    assert (draws.prompt.min(), draws.prompt.max()) == (800, 1000)
    assert (draws.output.min(), draws.output.max()) == (80, 100)
    assert draws.prompt.mean() == pytest.approx(900, rel=0.01)
    exact = _draws(replace(many, exact=True))
    assert (exact.prompt == 900).all()
    assert (exact.output == 90).all()
