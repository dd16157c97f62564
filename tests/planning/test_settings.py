from pathlib import Path

import pytest

from fleettui.errors import InputError
from fleettui.planning import settings
from fleettui.planning.typed_settings import say
from fleettui.reports.question.conversion import Given
from fleettui.reports.table import render
from fleettui.user_paths import CONFIG_VARIABLE, config_path


def by_name() -> dict[str, tuple[str | None, str]]:
    return {one.name: (one.text, one.source) for one in settings.settings()}


def test_environment_then_file_then_default(settings_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings_file.write_text('model = "qwen3-32b"\ndtype = "fp8"\nslo_ttft = "500ms"\n', "utf-8")
    monkeypatch.setenv("FLEETTUI_DTYPE", "bf16")
    found = by_name()
    assert found["model"] == ("qwen3-32b", "config file")
    assert found["dtype"] == ("bf16", "environment")
    assert found["preset"] == ("recommended", "default")
    assert settings.question_texts(settings.settings()) == {
        "model": Given("qwen3-32b", f"{settings_file}: model"),
        "dtype": Given("bf16", "FLEETTUI_DTYPE"),
        "slo-ttft": Given("500ms", f"{settings_file}: slo-ttft"),
    }


def test_toml_lists_tables_and_numbers(settings_file: Path) -> None:
    settings_file.write_text('gpu = ["h100", "a100"]\nseed = 7\n[price]\nh100 = 2.1\n', "utf-8")
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
        (f"seed = {'9' * 5000}\n", "this is no TOML"),
        ("model = 2026-01-01\n", "neither text nor number"),
    ],
)
def test_a_bad_file_is_refused_by_name(text: str, what: str, settings_file: Path) -> None:
    settings_file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=what) as caught:
        settings.settings()
    assert str(settings_file) in str(caught.value)


def test_a_file_that_is_a_folder_is_refused(settings_file: Path) -> None:
    settings_file.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        settings.settings()


def test_the_store_is_a_setting(monkeypatch: pytest.MonkeyPatch, settings_file: Path) -> None:
    monkeypatch.delenv("FLEETTUI_DB")
    assert settings.database(settings.settings()) is None
    settings_file.write_text('db = "/srv/plans.db"\n', "utf-8")
    assert settings.database(settings.settings()) == Path("/srv/plans.db")


def test_workers_are_a_setting(monkeypatch: pytest.MonkeyPatch, settings_file: Path) -> None:
    assert settings.workers(settings.settings()) is None
    settings_file.write_text("workers = 3\n", "utf-8")
    assert settings.workers(settings.settings()) == 3
    for wrong in ("0", "65", "2.5", "many"):
        monkeypatch.setenv("FLEETTUI_WORKERS", wrong)
        with pytest.raises(InputError, match=r"(?s)FLEETTUI_WORKERS: .*accepted: 1 to 64"):
            settings.workers(settings.settings())


@pytest.mark.parametrize(
    ("text", "why"), [("#" * 1_000_001, "too long for a configuration"), ("a = " + "[" * 5_000, "nested too deep")]
)
def test_a_file_that_is_too_large_or_too_deep_is_refused(settings_file: Path, text: str, why: str) -> None:
    settings_file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=why):
        settings.settings()


def test_what_stands_before_the_command_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_ALSO", "theirs.db")
    assert settings.also(settings.settings()) == Path("theirs.db")
    say("also", "typed.db")
    try:
        (also,) = [one for one in settings.settings() if one.name == "also"]
        assert (also.text, also.source, also.where) == ("typed.db", "option", "--also")
    finally:
        say("also", None)
    assert settings.also(settings.settings()) == Path("theirs.db")


def test_without_a_variable_the_file_lies_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CONFIG_VARIABLE)
    assert config_path().parts[-2:] == ("fleettui", "config.toml")


@pytest.mark.parametrize("name", ["~nobody-x/c.toml", "x" * 300])
def test_a_configuration_file_that_cannot_be_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETTUI_CONFIG", name)
    with pytest.raises(InputError, match="FLEETTUI_CONFIG: this path cannot be used"):
        settings.settings()


def test_a_row_for_each_setting_with_its_source() -> None:
    listed = (
        settings.Setting(name="model", text="qwen3-32b", source="environment", where="FLEETTUI_MODEL"),
        settings.Setting(name="tp", text="auto", source="default", where=""),
        settings.Setting(name="db", text=None, source="default", where=""),
    )
    assert render(settings.settings_table(listed)).split("\n") == [
        "setting  value      from",
        "model    qwen3-32b  FLEETTUI_MODEL",
        "tp       auto       default",
        "db       -          default",
    ]
