"""A profile as a question asks for it, with and without a fit."""

from dataclasses import replace
from functools import partial

import pytest

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.own_fit import fitted
from fleettui.hardware.profile import build_profile
from fleettui.hardware.public_runs import corrected
from fleettui.planning.tasks.asked_profile import asked_profile
from tests.own_fits import FIT, values

ASKED = Question(slo=Slo(ttft=0.5), **values())
GPU, MODEL = catalog.gpu("h100"), catalog.model("llama-3.1-70b")


@pytest.mark.parametrize("tp", [4, 8])
def test_a_fit_times_the_steps_of_its_server_and_kernels_those_of_others(tp: int) -> None:
    asked = partial(asked_profile, gpu=GPU, model=MODEL, dtype="fp8", tp=tp, kv_dtype=None, expert_parallel=False)
    bare = build_profile(GPU, MODEL, dtype="fp8", tp=tp, step_law=ASKED.step_law)
    assert asked(replace(ASKED, fit=None), sequences=None) == bare
    own = fitted(bare, FIT, engine="vllm", front_end=None)
    assert asked(ASKED, sequences=None) == (own if tp == 4 else bare)
    assert (own != bare) == (tp == 4)


def test_public_runs_time_the_steps_of_their_server() -> None:
    model = catalog.model("gpt-oss-120b")
    asked = partial(asked_profile, replace(ASKED, fit=None, model=model.name), GPU, model, dtype="mxfp4", tp=4)
    bare = build_profile(GPU, model, dtype="mxfp4", tp=4, step_law=ASKED.step_law)
    assert asked(kv_dtype=None, expert_parallel=False, sequences=None) == corrected(bare, "vllm") != bare


def test_what_a_question_types_wins() -> None:
    typed = replace(ASKED, front_end=0.01, prices=(("h100", 2.0),))
    own = asked_profile(typed, GPU, MODEL, dtype="fp8", tp=4, kv_dtype=None, expert_parallel=False, sequences=None)
    assert (own.front_end, own.price_per_hour, own.evidence) == (0.01, 2.0, "own fit prod")


def test_a_level_of_tuning_is_part_of_a_question_and_stock_is_what_was_before() -> None:
    stock = replace(ASKED, fit=None)
    tuned = replace(stock, tuning="tuned")
    own, other = (
        asked_profile(one, GPU, MODEL, dtype="fp8", tp=4, kv_dtype=None, expert_parallel=False, sequences=None)
        for one in (stock, tuned)
    )
    assert "tuning" not in to_plain(stock)
    assert to_plain(tuned) == {**to_plain(stock), "tuning": "tuned"}
    assert (own.settings.token_budget, other.settings.token_budget) == (8192, 16384)
    assert replace(own, settings=other.settings, citations=other.citations) == other
