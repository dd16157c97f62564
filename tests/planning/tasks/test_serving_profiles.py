from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from fleettui.domain.offers import PriceTerms
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog
from fleettui.optimize.plan import find_plan
from fleettui.planning.tasks.serving_profiles import gpus_of, profiles_of, unpriced
from tests.repeated import few

LLAMA_70B = catalog.model("llama-3.1-70b")


def test_one_gpu_at_one_parallelism_is_one_profile(question: Question) -> None:
    (profile,) = profiles_of(question, LLAMA_70B)
    assert (profile.gpu, profile.tp) == ("h100", 8)


def test_unsaid_is_every_gpu_that_fits(question: Question) -> None:
    found = profiles_of(replace(question, gpus=(), tp=()), LLAMA_70B)
    pairs = {(profile.gpu, profile.tp) for profile in found}
    assert ("h100", 1) not in pairs, "140 GB of weights do not fit in 80"
    assert {("h100", 4), ("h100", 8), ("b200", 1), ("mi300x", 1), ("a100", 4)} <= pairs
    assert len(pairs) == len(found)


def test_a_price_given_replaces_the_catalogues(question: Question) -> None:
    (profile,) = profiles_of(replace(question, prices=(("h100", 2.1),)), LLAMA_70B)
    assert profile.price_per_hour == 2.1
    assert profile.price_note == "given"


def test_an_engine_overhead_given_replaces_the_engines(question: Question) -> None:
    (without,) = profiles_of(replace(question, engine_overhead=0.0), LLAMA_70B)
    (with_it,) = profiles_of(replace(question, engine_overhead=0.005), LLAMA_70B)
    assert with_it.step.overhead - without.step.overhead == pytest.approx(0.005)


def test_an_unknown_gpu_is_refused_wherever_it_stands(question: Question) -> None:
    for asked in (
        replace(question, gpus=("h10",)),
        replace(question, prices=(("h10", 2.0),)),
        replace(question, max_gpus=(("h10", 2),)),
    ):
        with pytest.raises(UnknownNameError, match="did you mean h100"):
            profiles_of(asked, LLAMA_70B)


def test_every_gpu_is_every_one_with_a_price(question: Question) -> None:
    every = replace(question, gpus=("all",), tp=(8,))
    kinds = {profile.gpu for profile in profiles_of(every, LLAMA_70B)}
    assert {"h100", "b300", "tpu-v6e", "mi325x"} <= kinds
    assert kinds.isdisjoint(unpriced(every))
    assert "gaudi-3" in unpriced(every)
    given = replace(every, prices=(("gaudi-3", 3.0),))
    assert "gaudi-3" in {profile.gpu for profile in profiles_of(given, LLAMA_70B)}
    assert "gaudi-3" not in unpriced(given)
    assert unpriced(question) == ()


def test_a_gpu_without_a_price_is_refused_with_the_way_to_give_one(question: Question) -> None:
    with pytest.raises(InputError, match=r"no price of gaudi-3 is known(.|\n)*--price gaudi-3="):
        profiles_of(replace(question, gpus=("h100", "gaudi-3")), LLAMA_70B)


def test_a_file_is_a_gpu_that_prices_and_stocks_may_name(question: Question, tmp_path: Path) -> None:
    text = catalog.folder("gpus").joinpath("h100.toml").read_text("utf-8")
    paths = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for path, bandwidth in zip(paths, ("3.35e12", "3e12"), strict=True):
        path.write_text(text.replace('name = "h100"', 'name = "mine"').replace("3.35e12", bandwidth), "utf-8")
    asked = replace(question, gpus=(str(paths[0]),), prices=(("mine", 1.5),), max_gpus=(("mine", 8),))
    (own,) = profiles_of(asked, LLAMA_70B)
    (known,) = profiles_of(question, LLAMA_70B)
    assert (own.gpu, own.price_per_hour, own.step) == ("mine", 1.5, known.step)
    with pytest.raises(InputError, match="two files give GPUs this name"):
        profiles_of(replace(question, gpus=tuple(map(str, paths))), LLAMA_70B)


def test_one_pair_that_does_not_fit_says_why_itself(question: Question) -> None:
    with pytest.raises(InputError) as caught:
        profiles_of(replace(question, tp=(1,)), LLAMA_70B)
    assert "none of" not in str(caught.value)
    assert caught.value.remedy


def test_what_does_not_fit_is_called_as_it_was_asked_for(question: Question) -> None:
    asked = replace(question, model="deepseek-r1", dtype="fp8", gpus=("l40s",), tp=(1,))
    with pytest.raises(InputError, match=r"^deepseek-r1 is run as deepseek-v3: deepseek-v3 in fp8 does not fit"):
        profiles_of(asked, catalog.model("deepseek-r1"))


def test_when_nothing_fits_the_nearest_says_why(question: Question) -> None:
    with pytest.raises(InputError, match="fits on none of a10g, l40s") as caught:
        profiles_of(replace(question, gpus=("a10g", "l40s"), tp=()), catalog.model("deepseek-v3"))
    lines = str(caught.value).splitlines()
    assert len(lines) <= 3
    assert lines[-1].startswith("  do: ")


def test_a_format_for_each_pool_is_among_bf16_fp8_and_what_is_published(question: Question) -> None:
    asked = replace(question, dtype="auto")
    for name, dtypes in (("llama-3.1-70b", {"bf16", "fp8"}), ("gpt-oss-120b", {"bf16", "fp8", "mxfp4"})):
        assert {one.dtype for one in profiles_of(asked, catalog.model(name))} == dtypes


def test_four_bits_are_served_when_they_are_asked_for(question: Question) -> None:
    """Llama-3.1-70B int4: 40.5 GB of weights are on one H100, with 34 GB of cache left of 76.5."""
    (profile,) = profiles_of(replace(question, dtype="int4", tp=(1,)), LLAMA_70B)
    assert profile.kv_blocks * 16 * 327_680 == pytest.approx(76.52e9 - 40.48e9 - 1.61e9, rel=0.01)


def test_experts_are_spread_where_it_is_asked_for(question: Question) -> None:
    model = catalog.model("gpt-oss-120b")
    asked = replace(question, model="gpt-oss-120b", dtype="mxfp4", step_law="kernels", tp=(4, 8), expert_parallel=True)
    assert {(one.tp, one.expert_parallel) for one in profiles_of(asked, model)} == {(4, True), (8, True)}
    with pytest.raises(InputError, match="--step-law kernels"):
        profiles_of(replace(asked, step_law="roofline"), model)


def test_divisions_are_searched_where_kernels_know_them(question: Question) -> None:
    asked = replace(
        question, model="qwen3-30b-a3b", gpus=("h100", "mi300x"), step_law="kernels", tp=(1, 4), parallel="auto"
    )
    found = {(one.gpu, one.tp, one.expert_parallel) for one in profiles_of(asked, catalog.model(asked.model))}
    divided = {(gpu, tp, False) for gpu in ("h100", "mi300x") for tp in (1, 4)}
    assert found == divided | {("h100", 4, True)}
    by_roofline = profiles_of(replace(asked, step_law="roofline"), catalog.model(asked.model))
    assert {(one.gpu, one.tp, one.expert_parallel) for one in by_roofline} == divided
    assert not any(one.expert_parallel for one in profiles_of(replace(asked, tp=(8,)), LLAMA_70B))


@pytest.mark.parametrize(("model", "rate"), few([("qwen3-30b-a3b", 60.0), ("gpt-oss-120b", 30.0)], 0, more=1))
def test_the_search_of_divisions_is_never_dearer_than_any_that_is_given(
    question: Question, model: str, rate: float
) -> None:
    served = catalog.model(model)
    asked = replace(question, model=model, dtype=served.native_dtype, gpus=("h100",), step_law="kernels", tp=())

    def cost(**given: object) -> float:
        wanted = replace(asked, **given)  # type: ignore[arg-type]
        lengths = ((3.0, 900.0, 150.0), (1.0, 4000.0, 300.0))
        found = find_plan(
            wanted, slices=[(rate, lengths)], profiles=profiles_of(wanted, served), grid=(2000,), context=8192
        )
        return found.answer.cost_per_hour if found.answer else float("inf")

    given = [cost(tp=(tp,), expert_parallel=spread) for tp in (2, 4, 8) for spread in (False, True)]
    assert cost(parallel="all") <= cost(parallel="auto") <= min(given)


def test_all_divisions_have_sequences_and_heads_divided_where_kernels_know_them(question: Question) -> None:
    asked = replace(
        question, model="qwen3-30b-a3b", gpus=("h100",), step_law="kernels", tp=(1, 4), pp=(1, 2), parallel="all"
    )
    model = catalog.model(asked.model)
    every = profiles_of(asked, model)
    found = {(one.tp, one.pp, one.expert_parallel, one.attention_dp) for one in every if not one.layout}
    heads = {(1, 1, False), (1, 2, False), (4, 1, False), (4, 1, True), (4, 2, False), (4, 2, True)}
    assert found == {(*one, False) for one in heads} | {(4, 1, False, True), (4, 1, True, True)}
    lanes = [one for one in every if one.layout]
    assert [one.division for one in lanes] == ["tp2dp2/tp4", "tp2dp2/ep4"]
    assert not any(one.attention_dp for one in profiles_of(replace(asked, parallel="auto"), model))
    assert not any(one.attention_dp for one in profiles_of(replace(asked, pp=(1,), step_law="roofline"), model))


def test_lanes_of_eight_gpus_have_two_or_four(question: Question) -> None:
    model = catalog.model("qwen3-30b-a3b")
    asked = replace(
        question, model=model.name, gpus=("h100",), step_law="kernels", tp=(2, 8), pp=(1, 2), parallel="all"
    )
    lanes = [one for one in profiles_of(asked, model) if one.layout]
    assert {one.division for one in lanes} == {"tp2dp4/tp8", "tp2dp4/ep8", "tp4dp2/tp8", "tp4dp2/ep8"}
    assert all(one.attention_dp and one.pp == 1 for one in lanes)
    assert not any(one.layout for one in profiles_of(replace(asked, engine="trtllm"), model))


@pytest.mark.parametrize(("given", "parallel"), [("expert_parallel", "auto"), ("attention_dp", "all")])
def test_a_division_is_given_or_searched(question: Question, given: str, parallel: Literal["auto", "all"]) -> None:
    with pytest.raises(InputError, match="both given and searched"):
        replace(question, parallel=parallel, **{given: True})  # type: ignore[arg-type]


def test_sequences_may_be_given_beside_experts_that_are_searched(question: Question) -> None:
    assert replace(question, step_law="kernels", attention_dp=True, parallel="auto").attention_dp


def test_prompts_run_as_the_engine_has_them_by_kernels_and_mixed_by_the_roofline(question: Question) -> None:
    asked = replace(question, engine="sglang", step_law="kernels", tp=(8,))
    (alone,), (mixed,) = (profiles_of(one, LLAMA_70B) for one in (asked, replace(asked, step_law="roofline")))
    assert (alone.settled(asked).prompt_steps, mixed.settled(asked).prompt_steps) == ("alone", "mixed")
    assert not alone.settled(replace(asked, prompt_steps="mixed")).alone


def test_under_a_class_of_prices_only_gpus_that_have_one_are_searched() -> None:
    terms = PriceTerms(price_class="reserved-1y", provider="coreweave")
    asked = Question(slo=Slo(ttft=0.5), prices=(("h100", 2.25),), price_terms=terms)
    assert [gpu.name for gpu in gpus_of(asked)] == ["h100"]
    with pytest.raises(InputError, match="none of the GPUs that are searched has a coreweave/reserved-1y price"):
        gpus_of(replace(asked, prices=()))
