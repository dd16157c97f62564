import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fleettui.cli import settings
from fleettui.domain.scenario import Question
from fleettui.errors import InputError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def config() -> Path:
    """Return the test's own configuration file, not yet written."""
    return Path(os.environ[settings.CONFIG_VARIABLE])


def by_name() -> dict[str, tuple[str | None, str]]:
    return {one.name: (one.text, one.source) for one in settings.settings()}


def test_option_then_environment_then_file_then_default(
    config: Path, monkeypatch: pytest.MonkeyPatch, run: Run, asked: list[Question]
) -> None:
    config.write_text('model = "qwen3-32b"\ndtype = "fp8"\nslo_ttft = "500ms"\n', "utf-8")
    monkeypatch.setenv("FLEETTUI_DTYPE", "bf16")
    found = by_name()
    assert found["model"] == ("qwen3-32b", "config file")
    assert found["dtype"] == ("bf16", "environment")
    assert found["preset"] == ("recommended", "default")
    assert run("plan", "azure-2023-conv", "--model", "llama-3.1-8b")[0] == 0
    (question,) = asked
    assert (question.model, question.dtype, question.slo.ttft) == ("llama-3.1-8b", "bf16", 0.5)


def test_toml_lists_tables_and_numbers(config: Path) -> None:
    config.write_text('gpu = ["h100", "a100"]\nseed = 7\n[price]\nh100 = 2.1\n', "utf-8")
    found = by_name()
    assert found["gpu"][0] == "h100,a100"
    assert found["seed"][0] == "7"
    assert found["price"][0] == "h100=2.1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("model = \n", "this is no TOML"),
        ('modle = "x"\n', "did you mean model"),
        ('rate = "5/s"\n', "this is no setting but part of a question"),
        ("model = 2026-01-01\n", "neither text nor number"),
    ],
)
def test_a_bad_file_is_refused_by_name(
    text: str, what: str, config: Path, run: Run, refused: Callable[..., str]
) -> None:
    config.write_text(text, "utf-8")
    message = refused(run("config", "show"))
    assert what in message
    assert str(config) in message


def test_a_file_that_is_a_folder_is_refused(config: Path) -> None:
    config.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        settings.settings()


def test_a_bad_value_names_its_source(monkeypatch: pytest.MonkeyPatch, run: Run, refused: Callable[..., str]) -> None:
    monkeypatch.setenv("FLEETTUI_SLO_TTFT", "500")
    assert "FLEETTUI_SLO_TTFT: duration needs a unit" in refused(run("plan", "azure-2023-conv"))


def test_the_store_is_a_setting(monkeypatch: pytest.MonkeyPatch, config: Path) -> None:
    monkeypatch.delenv("FLEETTUI_DB")
    assert settings.database(settings.settings()) is None
    config.write_text('db = "/srv/plans.db"\n', "utf-8")
    assert settings.database(settings.settings()) == Path("/srv/plans.db")


def test_workers_are_a_setting(monkeypatch: pytest.MonkeyPatch, config: Path) -> None:
    assert settings.workers(settings.settings()) is None
    config.write_text("workers = 3\n", "utf-8")
    assert settings.workers(settings.settings()) == 3
    for wrong in ("0", "65", "2.5", "many"):
        monkeypatch.setenv("FLEETTUI_WORKERS", wrong)
        with pytest.raises(InputError, match=r"(?s)FLEETTUI_WORKERS: .*accepted: 1 to 64"):
            settings.workers(settings.settings())


def test_without_a_variable_the_file_lies_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.CONFIG_VARIABLE)
    assert settings.config_path().parts[-2:] == ("fleettui", "config.toml")
