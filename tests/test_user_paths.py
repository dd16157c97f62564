"""Paths that are typed."""

from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.user_paths import config_path, path_of


def test_a_path_is_read_from_the_home_folder() -> None:
    assert path_of("~/fleet.yaml") == Path.home() / "fleet.yaml"


@pytest.mark.parametrize("text", ["~nobody-x/c.toml", "x" * 300])
def test_what_no_file_can_be_called_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--output: this path cannot be used"):
        path_of(text, "--output")


def test_the_configuration_file_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", "/etc/fleettui.toml")
    assert config_path() == Path("/etc/fleettui.toml")
