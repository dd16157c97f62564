from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from fleettui.errors import WorkerError
from fleettui.planning import bug_report


def test_without_installation_the_version_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    assert bug_report.program_version() == "unknown"


def test_the_evidence_is_kept_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path)
    try:
        raise WorkerError("the worker ended", "its last words")
    except WorkerError as error:
        file = bug_report.write_report(error, "fleettui plan x")
    assert file is not None
    assert file.parent == tmp_path
    text = file.read_text("utf-8")
    for word in ("fleettui plan x", "Traceback", "the worker ended", "its last words"):
        assert word in text


def test_a_report_that_cannot_be_written_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path / "none")
    assert bug_report.write_report(AssertionError("evidence"), "x") is None


def test_two_reports_are_two_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: tmp_path)
    files = {bug_report.write_report(ValueError(f"number {at}"), "in view 2") for at in range(2)}
    assert len(files) == len(list(tmp_path.iterdir())) == 2
