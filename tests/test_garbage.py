import gc
import subprocess
import sys

import pytest

from fleettui import garbage


def test_it_rests_until_it_goes_on_and_what_there_is_by_then_is_left_alone() -> None:
    code = (
        "import gc; from fleettui import garbage; garbage.rest(); resting = not gc.isenabled(); "
        "garbage.go_on(); print(resting, gc.isenabled(), gc.get_freeze_count() > 1000)"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == ["True"] * 3


def test_going_on_changes_nothing_where_it_never_rested(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[str] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append("frozen"))
    garbage.go_on()
    assert gc.isenabled()
    assert frozen == []


def test_at_the_end_it_leaves_alone_what_there_is() -> None:
    code = (
        "import atexit, gc; from fleettui import garbage; atexit.register(lambda: print(gc.get_freeze_count() > 99)); "
        "garbage.end_quickly(); print(gc.get_freeze_count())"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split() == ["0", "True"]


def test_a_command_looks_seldom() -> None:
    code = (
        "import gc; from fleettui import garbage; garbage.look_seldom(); print(gc.isenabled(), gc.get_threshold()[0])"
    )
    found = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split()[:2] == ["True", str(garbage.COLLECT)]
