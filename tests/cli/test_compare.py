import json
from collections.abc import Callable

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def handles() -> tuple[str, ...]:
    """Three kept plans of rising cost."""
    with Store.open() as store:
        return tuple(samples.add(store, samples.at(71.1 + number, f"size {number}")).plan.handle for number in range(3))


def test_plans_stand_side_by_side(run: Run, handles: tuple[str, ...]) -> None:
    code, out, err = run("compare", *handles)
    assert (code, err) == (0, "")
    assert out.startswith(f"{handles[1]} costs $1.00/h more than {handles[0]} (+1.4%)")
    assert "-- results" in out
    assert "more rows are the same in all" in out
    assert max(map(len, out.splitlines())) <= 80
    every = run("compare", *handles, "--all")[1]
    assert "-- inputs" in every
    assert len(every.splitlines()) > len(out.splitlines())


def test_it_is_markdown_and_data_too(run: Run, handles: tuple[str, ...]) -> None:
    assert run("compare", *handles, "--md")[1].count("| **results** |") == 1
    found = json.loads(run("compare", *handles, "--json")[1])
    assert [plan["handle"] for plan in found["plans"]] == list(handles)
    assert found["rows"]


def test_one_plan_alone_is_refused(run: Run, refused: Callable[..., str], handles: tuple[str, ...]) -> None:
    assert "two plans or more" in refused(run("compare", handles[0]))
    assert "nosuch" in refused(run("compare", handles[0], "nosuch"))


@pytest.mark.parametrize("command", ["compare", "diff"])
def test_two_studies_are_set_beside_each_other(run: Run, handles: tuple[str, ...], command: str) -> None:
    with Store.open() as store:
        one, other = (store.add_study(samples.study()).handle for _ in range(2))
    code, out, err = run(command, one, other)
    assert (code, err) == (0, "")
    assert f"{one} and {other} say the same" in out
