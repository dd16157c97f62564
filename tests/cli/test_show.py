import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.domain.plan import Answer
from fleettui.planning.ancestry import family
from fleettui.reports.ancestry_text import family_text
from fleettui.reports.study_text import study_text
from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("kept")
def test_show_prints_what_plan_printed(run: Run) -> None:
    code, out, err = run("show", "9f3c")
    assert (code, err) == (0, "")
    assert "PASS by formula   48 H100   $142/h" in out
    assert json.loads(run("show", "--json")[1])["command"] == "show"


@pytest.mark.usefixtures("kept")
def test_a_plan_that_is_not_finished_says_so(run: Run) -> None:
    assert run("show", "9f3d")[2] == "this plan is not finished; fleettui jobs shows how to go on with it\n"


def test_an_unknown_plan_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "nosuch" in refused(run("show", "nosuch"))


def test_a_study_is_shown_as_its_command_printed_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    with Store.open(tmp_path / "kept.db") as store:
        plan = samples.add(store).plan
        study = store.add_study(samples.study("last"))
    for ref in (study.handle, study.id, study.handle.upper()):
        assert run("show", ref) == (0, study_text(study) + "\n", "")
    plain = json.loads(run("show", study.handle, "--json")[1])
    assert (plain["command"], plain["study"]["plan"], plain["tables"][0]["rows"][0]["until"]) == ("show", plan.id, 25.5)
    assert "PASS" in run("show", "last")[1]


def test_what_is_neither_plan_nor_study_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, refused: Callable[..., str]
) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    with Store.open(tmp_path / "kept.db") as store:
        candidate = samples.add(store).candidates[0].handle
    assert "no plan or study matches" in refused(run("show", "zzz"))
    assert "this names a candidate" in refused(run("show", candidate))


@pytest.mark.parametrize("words", [(), ("show",)])
def test_a_plan_that_is_made_meanwhile_is_not_mixed_in(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    with Store.open(tmp_path / "kept.db") as store:
        samples.begin(store)
    alone = run(*words)
    read = Store.plan

    def read_and_add(self: Store, ref: str, *, most: int | None = None) -> Answer:
        found = read(self, ref, most=most)
        samples.add(self, samples.answer(name="another"))
        return found

    monkeypatch.setattr(Store, "plan", read_and_add)
    assert run(*words) == alone


def test_the_tree_is_what_it_was_forked_from_and_what_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    with Store.open(tmp_path / "kept.db", clock=samples.clock()) as store:
        first = samples.add(store, samples.at(71.1, "first")).plan
        second = samples.add(store, samples.at(78.08, "second"), parent=first.id).plan
        expected = {ref: family_text(family(store, ref)) for ref in (first.handle, "second")}
    for ref, text in expected.items():
        assert run("show", ref, "--tree") == (0, text + "\n", "")
        assert second.handle in text
    plain = json.loads(run("show", "first", "--tree", "--json")[1])
    assert [one["row"]["handle"] for one in plain["tree"]["relatives"]] == [first.handle, second.handle]


@pytest.mark.usefixtures("kept")
def test_schema_2_is_asked_for_by_option_environment_or_file(
    run: Run, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, settings_file: Path, tmp_path: Path
) -> None:
    def schema(*words: str) -> int:
        return int(json.loads(run(*words, "show", "9f3c", "--json")[1])["schema"])

    assert (schema(), schema("--schema", "2"), schema()) == (1, 2, 1)
    settings_file.write_text("schema = 2\n", "utf-8")
    assert (schema(), schema("--schema", "1")) == (2, 1)
    out = tmp_path / "plan.json"
    assert run("export", "9f3c", "-o", str(out))[0] == 0
    assert json.loads(out.read_text("utf-8"))["answer"]["gpu_power"] > 0
    monkeypatch.setenv("FLEETTUI_SCHEMA", "1")
    assert schema() == 1
    monkeypatch.setenv("FLEETTUI_SCHEMA", "3")
    assert "FLEETTUI_SCHEMA" in refused(run("show", "9f3c", "--json"))
