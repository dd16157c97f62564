"""Several models in the five lines: one part for all, or one of each; names of their own."""

import pytest

from fleettui.errors import Gathered, InputError
from fleettui.reports.question.joint_file import to_joint
from fleettui.reports.question.several_lines import together

LINES = {
    "lengths": "azure-2023-conv + azure-2023-code hit 30% + azure-2023-conv",
    "demand": "20/s + 1000 users x 6/h + 4/s",
    "model": "llama-3.1-8b + llama-3.1-70b fp8 + llama-3.1-70b fp8",
    "gpus": "64 h100 + 40 a100",
    "slo": "TTFT 1s",
}


def test_each_model_has_its_part_of_a_line_and_all_have_one_stock() -> None:
    found = together(LINES)
    assert found is not None
    question = to_joint(found, typed={}, own={}, errors=Gathered())
    assert question.name == "3 models"
    assert dict(question.limits.max_gpus) == {"h100": 64, "a100": 40}
    entries = {one.name: one.question for one in question.entries}
    assert list(entries) == ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-70b-2"]
    assert [one.demand.form for one in entries.values()] == ["rate", "users", "rate"]
    assert [one.prefix_hit for one in entries.values()] == [0.0, 0.3, 0.0]
    assert {one.slo.ttft for one in entries.values()} == {1.0}
    assert {one.gpus for one in entries.values()} == {("h100", "a100")}


def test_workloads_of_one_model_are_called_by_their_lengths() -> None:
    found = together({**LINES, "model": "llama-3.1-8b"})
    assert found is not None
    assert [one.name for one in found.entries] == ["azure-2023-conv", "azure-2023-code", "azure-2023-conv-2"]


def test_lines_of_one_model_ask_for_one_and_other_numbers_are_refused() -> None:
    alone = {**LINES, "lengths": "azure-2023-conv", "demand": "20/s", "model": "llama-3.1-8b"}
    assert together(alone) is None
    with pytest.raises(InputError, match="this line has 2 parts, another has 3") as refused:
        together({**LINES, "slo": "TTFT 1s + TTFT 2s"})
    assert "one for all, or 3 with ' + ' between" in str(refused.value)
