"""Defaults of one's own: what stands before the command, then the environment, then the file, then the program's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from fleettui.errors import InputError
from fleettui.planning.typed_settings import TYPED
from fleettui.reports import units
from fleettui.user_paths import config_path, path_of

if TYPE_CHECKING:
    from fleettui.planning.cluster.address import Cluster
    from fleettui.reports.question.conversion import Given
    from fleettui.reports.table import Table

Source = Literal["option", "environment", "config file", "default"]
PREFIX = "FLEETTUI_"
MOST_WORKERS = 64
DATABASE, ALSO, WORKERS, CLUSTER, SCHEMA = "db", "also", "workers", "cluster", "schema"
OF_THE_PROGRAM = (DATABASE, ALSO, WORKERS, CLUSTER, SCHEMA)
"""Settings that are no part of any question."""

TOML = 'lines like model = "qwen3-32b"'
SCHEMAS = (1, 2)
"""The forms of what commands print as JSON; the first is the default."""
_SCHEMA = units.COUNT._replace(name="schema of JSON", limit=max(SCHEMAS), accepted="1 or 2")
_WORKERS = units.COUNT._replace(name="number of workers", limit=MOST_WORKERS, accepted=f"1 to {MOST_WORKERS}")


class Setting(NamedTuple):
    """A setting with its text (None: not set) and where that comes from."""

    name: str
    text: str | None
    source: Source
    where: str


def settings_table(settings: Iterable[Setting]) -> Table:
    """Return one row per setting, with its value and where that comes from."""
    from fleettui.reports.columns import Column, table, words

    columns: tuple[Column[Setting], ...] = (
        words("setting", lambda one: one.name),
        words("value", lambda one: one.text or None, wrap=True),
        words("from", lambda one: one.where or one.source, wrap=True),
    )
    return table(columns, settings)


def settings() -> tuple[Setting, ...]:
    """Return every setting; raises InputError for a configuration file that does not read."""
    file = config_path()
    configured = _configured(file)
    asked = (_setting(name, configured, file, default or None) for name, default in _of_questions().items())
    return *asked, *_of_the_program(configured, file)


def of_the_program() -> tuple[Setting, ...]:
    """Return the settings that are no part of any question, which takes none of a question's keys.

    Raises InputError for a configuration file that does not read.
    """
    file = config_path()
    return _of_the_program(_configured(file), file)


def _of_the_program(configured: Mapping[str, str], file: Path) -> tuple[Setting, ...]:
    return tuple(_setting(name, configured, file) for name in OF_THE_PROGRAM)


def _of_questions() -> dict[str, str]:
    """Return the keys of a question whose defaults can be set, with those; what arrives is said anew each time."""
    from fleettui.reports.question.keys import BY_NAME

    return {key.name: key.default for key in BY_NAME.values() if key.is_setting}


def question_texts(chosen: Iterable[Setting]) -> dict[str, Given]:
    """Return the settings that are keys of a question and are set."""
    from fleettui.reports.question.conversion import Given

    return {
        one.name: Given(one.text, one.where)
        for one in chosen
        if one.text is not None and one.source != "default" and one.name not in OF_THE_PROGRAM
    }


def database(chosen: Iterable[Setting]) -> Path | None:
    """Return the store's file as it is written, None for the default one."""
    one = _named(DATABASE, chosen)
    return None if one.text is None else Path(one.text)


def also(chosen: Iterable[Setting]) -> Path | None:
    """Return the published store that is read beside one's own, None where there is none."""
    one = _named(ALSO, chosen)
    return None if one.text is None else path_of(one.text, one.where)


def workers(chosen: Iterable[Setting]) -> int | None:
    """Return how many workers are set, None for the default; raises InputError for what is no such number."""
    one = _named(WORKERS, chosen)
    return None if one.text is None else int(_WORKERS.parse(one.text, one.where))


def cluster(chosen: Iterable[Setting]) -> Cluster | None:
    """Return which cluster is set, None for this machine's workers; raises InputError for what is none."""
    one = _named(CLUSTER, chosen)
    if one.text is None:
        return None
    from fleettui.planning.cluster.address import read_cluster

    return read_cluster(one.text, one.where)


def schema(chosen: Iterable[Setting]) -> int:
    """Return which form of JSON is set; raises InputError for what is none."""
    one = _named(SCHEMA, chosen)
    return SCHEMAS[0] if one.text is None else int(_SCHEMA.parse(one.text, one.where))


def _named(name: str, chosen: Iterable[Setting]) -> Setting:
    return next(one for one in chosen if one.name == name)


def variable(name: str) -> str:
    """Return the environment variable of a setting.

    >>> variable("slo-ttft")
    'FLEETTUI_SLO_TTFT'
    """
    return PREFIX + name.upper().replace("-", "_")


def _setting(name: str, configured: Mapping[str, str], file: Path, default: str | None = None) -> Setting:
    if text := TYPED.get(name):
        return Setting(name=name, text=text, source="option", where=f"--{name}")
    if text := os.environ.get(variable(name)):
        return Setting(name=name, text=text, source="environment", where=variable(name))
    if name in configured:
        return Setting(name=name, text=configured[name], source="config file", where=f"{file}: {name}")
    return Setting(name=name, text=default, source="default", where="")


def _configured(file: Path) -> dict[str, str]:
    """Return the file's texts by setting; no file is an empty one."""
    try:
        if not file.exists():
            return {}
        import tomllib

        from fleettui.planning.user_files import read_text

        table = tomllib.loads(read_text(str(file), "configuration", TOML))
    except RecursionError:
        raise InputError("this is no TOML: it is nested too deep", where=str(file), accepted=TOML) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", where=str(file)) from None
    except ValueError as error:
        raise InputError(f"this is no TOML: {error}", where=str(file), accepted=TOML) from None
    return {_known(name, file): _text(value, f"{file}: {name}") for name, value in table.items()}


def _known(name: str, file: Path) -> str:
    if name in OF_THE_PROGRAM:
        return name
    from fleettui.reports.question.keys import key_named

    found, names = key_named(name, str(file)).name, _of_questions()
    if found not in names:
        raise InputError(
            "this is no setting but part of a question",
            where=str(file),
            value=name,
            accepted=f"{len(names) + len(OF_THE_PROGRAM)} settings: fleettui config lists them",
        )
    return found


def _text(value: object, where: str) -> str:
    """Return a TOML value as the option would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, list):
        return ",".join(_text(item, where) for item in value)
    if isinstance(value, dict):
        return ",".join(f"{name}={_text(item, where)}" for name, item in value.items())
    raise InputError("this value is neither text nor number", where=where, value=value)
