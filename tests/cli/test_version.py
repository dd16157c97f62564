from importlib import metadata

import pytest

from fleettui.cli.version import program_version


def test_without_installation_the_version_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert program_version() == "unknown"
