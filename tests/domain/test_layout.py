"""How a stage is divided in both domains: what multiplies out, what does not, and what a question says beside it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.layout import GROUPS, Layout, check, layout
from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_plain
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.hardware import catalog

ASKED = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), step_law="kernels")


@pytest.mark.parametrize("text", ["tp1/tp1", "tp8/ep8", "dp8/tp8", "dp8/tp2ep4", "tp2dp4/ep8", "tp4dp2/tp2ep4"])
def test_a_layout_is_written_as_it_is_read(text: str) -> None:
    assert layout(text).text == text
    assert layout(f" {text.upper()} ") == layout(text)
    assert replace(ASKED, layout=text).layout == text


def test_both_domains_have_the_same_gpus_or_are_refused() -> None:
    kept = 0
    for first, lanes, then, groups in product(GROUPS, repeat=4):
        text = f"tp{first}dp{lanes}/tp{then}ep{groups}"
        if first * lanes == then * groups <= 8:
            kept += 1
            assert layout(text) == Layout(first, lanes, then, groups)
            assert layout(text).gpus == first * lanes
            continue
        with pytest.raises(InputError, match=r"both have the same|16 GPUs in one stage|32 GPUs|64 GPUs"):
            layout(text)
    assert kept == 1 + 2 * 2 + 3 * 3 + 4 * 4


def test_what_is_refused_says_both_products() -> None:
    with pytest.raises(InputError, match="attention has 4 x 2 = 8 GPUs, the feed-forward layers 1 x 4 = 4"):
        layout("tp4dp2/ep4")


@pytest.mark.parametrize("text", ["", "/", "tp8", "tp8/", "/ep8", "tp8/dp8", "ep8/tp8", "tp8/ep8x3", "8/8", "tp0/tp0"])
def test_what_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"says no layout|no layer is divided so"):
        layout(text)


def test_what_flags_say_is_no_layout_of_several_gpus_each() -> None:
    assert [layout(one).within for one in ("tp8/tp8", "dp8/ep8", "tp8/ep8", "dp8/tp8")] == [""] * 4
    assert [layout(one).within for one in ("tp2dp4/tp8", "dp8/tp2ep4")] == ["tp2dp4/tp8", "dp8/tp2ep4"]


def test_experts_divide_by_the_groups_that_hold_them() -> None:
    layout("tp8/ep8").check(catalog.model("mixtral-8x7b"))
    with pytest.raises(InputError, match="has no routed experts to spread"):
        layout("tp8/ep8").check(catalog.model("llama-3.1-70b"))
    layout("tp8/tp8").check(catalog.model("llama-3.1-70b"))
    odd = replace(catalog.model("mixtral-8x7b"), experts=6)
    layout("tp2/ep2").check(odd)
    with pytest.raises(InputError, match="the 6 experts of mixtral-8x7b do not divide by ep 4"):
        layout("dp8/tp2ep4").check(odd)


@pytest.mark.parametrize(
    ("said", "option"),
    [
        ({"tp": (4,)}, "--tp"),
        ({"expert_parallel": True}, "--expert-parallel"),
        ({"attention_dp": True}, "--attention-dp"),
        ({"parallel": "auto"}, "--parallel"),
        ({"pp": (2,)}, "--pp"),
        ({"speculative": "mtp:3@70%"}, "--speculative"),
        ({"kv_offload": "100GB@25GB/s"}, "--kv-offload"),
    ],
)
def test_what_says_the_same_or_has_no_lanes_is_refused_beside_it(said: dict[str, object], option: str) -> None:
    with pytest.raises(InputError, match=f"does not stand beside {option}"):
        replace(ASKED, layout="dp8/tp2ep4", **said)  # type: ignore[arg-type]


def test_stages_and_drafts_go_with_layouts_without_lanes() -> None:
    check(replace(ASKED, layout="tp8/tp2ep4", pp=(2,), tp=(8,)))
    check(replace(ASKED, layout="tp8/tp2ep4", speculative="mtp:3@70%"))
    with pytest.raises(InputError, match="not as it is written"):
        replace(ASKED, layout="tp8dp1/ep8")


def test_a_question_without_a_layout_has_the_digest_that_it_had() -> None:
    assert "layout" not in to_plain(ASKED)
    assert digest(ASKED) != digest(replace(ASKED, layout="tp8/tp8"))
