import json
import platform
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


def test_a_healthy_machine_is_0(run: Run) -> None:
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    plain = json.loads(run("doctor", "--json")[1])
    assert {one["name"] for one in plain["checks"]} >= {"python", "sqlite", "packages", "store", "terminal", "cores"}


def test_a_store_that_does_not_open_is_3(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = tmp_path / "bad.db"
    bad.write_text("no database", "utf-8")
    monkeypatch.setenv("FLEETTUI_DB", str(bad))
    code, out, _ = run("doctor")
    assert code == 3
    assert "fail  store" in out


def test_jobs_of_programs_that_are_gone_are_stopped(run: Run) -> None:
    with Store.open() as store:
        _, left = samples.begin(store, owner=f"{platform.node()}:4194303:1")
        _, ours = samples.begin(store)
    assert f"gone: {left.handle}" in " ".join(run("doctor", "--repair")[1].split())
    with Store.open() as store:
        assert [store.job(one.id).state for one in (left, ours)] == ["stopped", "running"]
    found = {one["name"]: one for one in json.loads(run("doctor", "--repair", "--json")[1])["checks"]}
    assert found["jobs"]["found"] == "none is left by a program"
    assert found["store content"]["state"] == "ok"
    assert "2 plans" in found["store size"]["found"]


def test_pruning_tells_before_it_deletes(run: Run, refused: Callable[..., str]) -> None:
    assert "nothing is deleted yet" in run("prune")[1]
    assert json.loads(run("prune", "--archived", "--yes", "--older-than", "2w", "--json")[1])["deleted"] is True
    for age in ("90", "99999w", "-1d", "9" * 5000 + "d"):
        assert "--older-than" in refused(run("prune", f"--older-than={age}"))


def test_what_was_written_over_is_told_with_the_plan_that_it_is_of(run: Run) -> None:
    with Store.open() as store:
        plan, path = samples.add(store), store.path
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"bandwidth_use":0.51', b'"bandwidth_use":0.61', 1))
    code, out, _ = run("doctor", "--repair", "--json")
    (rows,) = (one for one in json.loads(out)["checks"] if one["name"] == "store rows")
    assert (code, rows["state"]) == (3, "fail")
    assert f"a part of {plan.plan.handle}, which stays in its place" in rows["found"]
    assert "backup" in rows["remedy"]
