import sqlite3
from importlib import metadata
from pathlib import Path

import pytest

from fleettui.planning import doctor
from fleettui.reports.table import render


def by_name() -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.examine()}


def test_this_machine_is_fit_and_every_check_says_what_it_found() -> None:
    found = by_name()
    assert {"python", "sqlite", "packages", "store", "terminal", "cores"} <= found.keys()
    assert all(check.found for check in found.values())
    assert all(check.remedy for check in found.values() if check.state != "ok")
    assert not [check for check in found.values() if check.state == "fail"]


def test_an_old_sqlite_fails_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 0))
    found = by_name()
    assert (found["sqlite"].state, found["store"].state) == ("fail", "ok")
    assert "3.37" in found["sqlite"].remedy


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    known = metadata.version

    def version(name: str) -> str:
        if name == "scipy":
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(metadata, "version", version)
    assert by_name()["scipy"].state == "fail"


def test_a_store_that_does_not_open_fails_with_what_to_do(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_text("no database", "utf-8")
    check = next(check for check in doctor.examine(bad) if check.name == "store")
    assert check.state == "fail"
    assert "FLEETTUI_DB" in check.remedy


def test_a_terminal_without_utf_8_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", lambda _: "ANSI_X3.4-1968")
    assert by_name()["terminal"].state == "warn"


def test_a_row_for_each_check() -> None:
    checks = (
        doctor.Check(name="python", state="ok", found="3.11.4"),
        doctor.Check(name="store", state="fail", found="it is read-only", remedy="set FLEETTUI_DB"),
    )
    assert render(doctor.checks_table(checks)).split("\n") == [
        "      what    found            do",
        "ok    python  3.11.4",
        "fail  store   it is read-only  set FLEETTUI_DB",
    ]
