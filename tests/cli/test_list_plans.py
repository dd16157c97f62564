import json
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.usefixtures("kept")
def test_plans_as_table_and_as_json(run: Run) -> None:
    code, out, err = run("list")
    assert (code, err) == (0, "")
    assert "9f3c  05-04 12:34  azure-2023-conv  48 h100 tp8x6  142  PASS" in out
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
