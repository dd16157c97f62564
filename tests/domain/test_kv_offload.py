"""The memory beside each GPU as it is said, and what it does not go with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.digest import digest
from fleettui.domain.kv_offload import Offload, offload, written
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError

SAID = "100GB@25GB/s"


def test_it_is_written_in_one_way() -> None:
    assert [written(text) for text in (SAID, "0.1TB@25gb/s", " 100.0 GB @ 0.025 TB/s")] == [SAID] * 3
    assert written(written("0.00001GB@400TB/s")) == "0.00001GB@400000GB/s"
    assert offload("1TB@400GB/s") == Offload(memory=1e12, bandwidth=4e11)


@pytest.mark.parametrize("text", ["", "100GB", "100@25", "100GB@25GB", "100MB@25GB/s", "-1GB@2GB/s", "1e3GB@2GB/s"])
def test_what_says_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="this is no memory and bandwidth") as refusal:
        offload(text)
    assert SAID in str(refusal.value)


@pytest.mark.parametrize("text", ["0GB@25GB/s", "100GB@0GB/s", "9999999TB@1GB/s"])
def test_nothing_and_too_much_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="above 0 and at most 1000 TB"):
        offload(text)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"pp": (1, 2)}, "--pp"),
        ({"attention_dp": True, "step_law": "kernels"}, "--attention-dp"),
        ({"parallel": "all", "step_law": "kernels"}, "--parallel all"),
    ],
)
def test_what_it_does_not_go_with_is_refused(said: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=f"not simulated with {what}") as refusal:
        Question(slo=Slo(ttft=0.5), kv_offload=SAID, **said)
    assert f"leave out {what}, or --kv-offload" in str(refusal.value)
    Question(slo=Slo(ttft=0.5), **said)


def test_sessions_take_it_for_what_their_caches_drop() -> None:
    with pytest.raises(InputError, match="not simulated with --sessions without --prefix-cache") as refusal:
        Question(slo=Slo(ttft=0.5), kv_offload=SAID, sessions=True)
    assert "add --prefix-cache" in str(refusal.value)
    Question(slo=Slo(ttft=0.5), kv_offload=SAID, sessions=True, prefix_cache=True)
    Question(slo=Slo(ttft=0.5), kv_offload=SAID, prefix_cache=True)


def test_a_question_that_is_not_as_it_is_written_is_refused() -> None:
    with pytest.raises(InputError, match="not as it is written"):
        Question(slo=Slo(ttft=0.5), kv_offload="100 GB@25GB/s")


def test_a_question_without_it_has_the_digest_that_it_had() -> None:
    asked = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5))
    assert digest(asked) == digest(replace(asked, kv_offload=""))
    assert digest(asked) != digest(replace(asked, kv_offload=SAID))
