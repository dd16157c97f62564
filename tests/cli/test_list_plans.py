import json
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("kept")
def test_plans_as_table_and_as_json(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert "9f3c  05-04 12:34  azure-2023-conv  48 H100 tp8 x6  142  ~PASS formula" in out
    plain = json.loads(run("list", "--json")[1])
    assert (plain["schema"], [one["handle"] for one in plain["plans"]]) == (1, ["9f3c"])


@pytest.mark.usefixtures("kept")
def test_nothing_found_is_narration(run: Run) -> None:
    assert run("list", "none") == (0, "", "no plan matches 'none'\n")
    assert json.loads(run("list", "none", "--json")[1])["plans"] == []


def test_no_plan_yet(run: Run) -> None:
    assert run("list") == (0, "", "no plan yet; fleettui plan --help shows how\n")


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1e9"])
def test_a_bad_limit_is_refused(limit: str, run: Run, refused: Callable[..., str]) -> None:
    assert "--limit" in refused(run("list", "--limit", limit))


def test_an_offset_beyond_all_plans_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "--offset" in refused(run("list", "--offset", "99999999999999999999"))


def test_the_order_and_what_was_put_away_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "plans.db"))
    with Store.open(tmp_path / "plans.db", clock=samples.clock(), entropy=lambda: 1) as store:
        samples.add(store, samples.answer(1, name="b"))
        samples.add(store, samples.answer(1, name="a"))
        store.archive("b")

    def names(*more: str) -> list[str]:
        return [one["name"] for one in json.loads(run("list", "--json", *more)[1])["plans"]]

    assert (names(), names("--archived"), names("--archived", "--reverse")) == (["a"], ["a", "b"], ["b", "a"])
    assert names("rate>80 cost<100", "--archived", "--sort", "name") == ["a", "b"]
    assert (tmp_path / "plans.db").exists()


def test_an_order_that_is_none_is_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "created, cost, name, ttft, verdict" in refused(run("list", "--sort", "gpus"))


def test_studies_as_table_and_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "kept.db"))
    assert run("list", "--studies") == (0, "", "no study yet; fleettui whatif --help shows how\n")
    with Store.open(tmp_path / "kept.db", clock=samples.clock()) as store:
        plan = samples.add(store, samples.answer(1, name="mine")).plan
        first, second = (
            store.add_study(samples.study("mine")),
            store.add_study(samples.study(title="What was printed?")),
        )
        samples.add(store, samples.answer(1, name="bare"))
    assert run("list", "--studies")[1].splitlines() == [
        "study  made (UTC)   kind         plan   title",
        f"{second.handle}   03-01 14:00  steps        -      What was printed?",
        f"{first.handle}   03-01 13:00  steps        {plan.handle}   When does each fleet run out?",
    ]
    plain = json.loads(run("list", "--studies", "--json")[1])
    assert (plain["schema"], plain["command"]) == (1, "list")
    assert [(one["handle"], one["plan"], one["plan_handle"]) for one in plain["studies"]] == [
        (second.handle, None, None),
        (first.handle, plan.id, plan.handle),
    ]
    of_plan = json.loads(run("list", "mine", "--studies", "--json")[1])["studies"]
    assert [one["handle"] for one in of_plan] == [first.handle]
    page = json.loads(run("list", "--studies", "--limit", "1", "--offset", "1", "--json")[1])["studies"]
    assert page == of_plan
    assert run("list", "bare", "--studies") == (0, "", "no study of bare\n")


@pytest.mark.parametrize("option", [("--sort", "cost"), ("--reverse",), ("--archived",)])
def test_what_means_nothing_for_studies_is_refused(
    option: tuple[str, ...], run: Run, refused: Callable[..., str]
) -> None:
    assert option[0] in refused(run("list", "--studies", *option))


def test_studies_of_a_plan_that_is_not_there_are_refused(run: Run, refused: Callable[..., str]) -> None:
    assert "no plan matches" in refused(run("list", "nobody", "--studies"))


def test_quiet_leaves_out_remarks_but_no_refusal(run: Run) -> None:
    assert run("list", "no-such-plan") == (0, "", "no plan matches 'no-such-plan'\n")
    assert run("--quiet", "list", "no-such-plan") == (0, "", "")
    code, out, err = run("-q", "list", "cost<")
    assert (code, out) == (2, "")
    assert "not a query word" in err
    assert run("list", "no-such-plan")[2], "the next call is told again"
