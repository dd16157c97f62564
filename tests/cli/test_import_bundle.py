import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Store
from tests.store import samples

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def bundle(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle of two plans; the store of the settings is another one by now."""
    with Store.open() as store:
        handles = [samples.add(store).plan.handle, samples.prove(store).plan.handle]
    path = tmp_path / "plans.fleet"
    assert run("export", *handles, "--bundle", str(path)) == (0, "", f"written: {path}\n")
    monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / "other.db"))
    return path


def test_a_bundle_is_told_and_shown_like_own_plans(run: Run, bundle: Path) -> None:
    code, out, err = run("import", str(bundle))
    assert (code, err) == (0, "")
    assert out.startswith("2 plans added: ")
    told = json.loads(run("import", str(bundle), "--json")[1])
    assert (told["added"], len(told["known"])) == ([], 2)
    assert "2 plans here already" in run("import", str(bundle))[1]
    for command in (("show", "proved"), ("report", "proved"), ("diff", "last", "last~1")):
        assert run(*command)[0] in (0, 3)


def test_what_is_no_bundle_is_refused(run: Run, refused: Callable[..., str], bundle: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, tmp_path / "none", Path("/dev/zero"), Path(__file__)):
        assert str(path) in refused(run("import", str(path)))
    assert "--bundle: the file exists" in refused(run("export", "last", "--bundle", str(bundle)))
    assert "--bundle" in refused(run("export", "last", "last~1", "--format", "md"))


def test_a_bundle_takes_no_format(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    assert "no other format" in refused(run("export", "--bundle", str(tmp_path / "b"), "--format", "md"))


def test_copies_open_and_those_for_others_only_to_read(
    run: Run, refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open() as store:
        samples.add(store)
    listed = run("list")[1]
    for command in ("publish", "backup"):
        copy = tmp_path / command
        size = json.loads(run(command, str(copy), "--json")[1])["bytes"]
        assert copy.stat().st_size == size
        assert "exists" in refused(run(command, str(copy)))
        assert not list(tmp_path.glob(f"{command}-*"))
    assert (tmp_path / "publish").stat().st_mode & 0o777 == 0o444
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    assert "backup-" in run("backup")[1]
    for command in ("publish", "backup"):
        monkeypatch.setenv("FLEETTUI_DB", str(tmp_path / command))
        assert run("list")[1] == listed


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder where nobody makes a file, root neither")
@pytest.mark.parametrize("command", [("backup",), ("publish",), ("export", "last", "--bundle")])
def test_a_copy_where_no_file_may_be_made_is_refused(
    run: Run, refused: Callable[..., str], command: tuple[str, ...]
) -> None:
    with Store.open() as store:
        samples.add(store)
    assert "/proc/copy" in refused(run(*command, "/proc/copy"))
