from pathlib import Path

import pytest

from fleettui.domain.opening import Opening
from fleettui.errors import InputError
from fleettui.planning.opening import opening_of


@pytest.mark.parametrize("ref", ["last", "last~1", "41a7", "0199-abcd", "spring sizing", "v1.2"])
def test_what_is_no_file_is_a_plan(ref: str) -> None:
    assert opening_of(ref) == Opening(kind="plan", text=ref)


def test_a_shipped_name_is_a_workload() -> None:
    assert opening_of("azure-2023-conv") == Opening(kind="workload", text="azure-2023-conv")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("trace.csv", "workload"),
        ("trace.jsonl.gz", "workload"),
        ("lengths.json", "workload"),
        ("trace", "workload"),
        ("question.yaml", "question"),
        ("question.yml", "question"),
    ],
)
def test_a_file_is_a_workload_or_a_question(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("", "utf-8")
    assert opening_of(str(path)) == Opening(kind=kind, text=str(path))  # type: ignore[arg-type]


def test_a_file_here_wins_over_a_plan_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert opening_of("41a7").kind == "plan"
    Path("41a7").write_text("", "utf-8")
    assert opening_of("41a7").kind == "workload"


@pytest.mark.parametrize("text", ["trace.csv", "no/such/file", "question.yaml", "x.json", "x.csv.gz"])
def test_what_can_only_be_a_file_is_refused_where_there_is_none(text: str) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        opening_of(text)


@pytest.mark.parametrize("text", ["", "  ", ".", "/"])
def test_nothing_and_folders_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="a plan's ID, a trace, or a question file"):
        opening_of(text)


def test_a_name_that_no_file_can_have_is_a_plan_for_the_store_to_refuse() -> None:
    assert opening_of("x" * 5000).kind == "plan"
    assert opening_of("a\0b").kind == "plan"
