"""Opening the store's file: made when absent, raised when older, read-only when it must be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from fleettui.errors import StoreError, StoreReadOnlyError, StoreVersionError
from store import failures, file_place
from store.engine import PATIENCE, build, use_wal, writing
from store.schema import SCHEMA, Age, Schema, age, create, read_revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An open file. `refusal` is what a write raises (None: writes are allowed), `notice` why, when unasked for."""

    path: Path
    engine: Engine
    refusal: StoreError | None = None
    notice: str = ""
    newer: bool = False


def open_file(
    path: Path | None, *, read_only: bool = False, patience: float = PATIENCE, schema: Schema = SCHEMA
) -> Opened:
    """Open `path`, or the default file; see `Store.open`. Raises StoreError when that cannot be."""
    file_place.check_sqlite()
    file = file_place.located(path)
    if not read_only:
        if not file.exists():
            file_place.check_file_system(nearest_folder(file))
        file_place.create(file)
    file_place.check_content(file)
    if not read_only and file_place.is_writable(file):
        file_place.check_file_system(file)
        return _open_to_write(file, patience, schema)
    if file_place.uses_wal(file):
        file_place.check_file_system(file)
    return _open_to_read(file, patience, schema, asked=read_only)


def nearest_folder(file: Path) -> Path:
    """Return the closest folder above `file` that exists."""
    return next(folder for folder in file.parents if folder.is_dir())


def _open_to_write(file: Path, patience: float, schema: Schema) -> Opened:
    engine = build(file, read_only=False, patience=patience)
    try:
        with failures.told(file):
            found = prepare(engine, file, schema, patience)
    except BaseException:
        engine.dispose()
        raise
    if found == "current":
        return Opened(path=file, engine=engine)
    engine.dispose()
    return _open_to_read(file, patience, schema, asked=False)


def _open_to_read(file: Path, patience: float, schema: Schema, *, asked: bool) -> Opened:
    engine = build(file, read_only=True, patience=patience)
    try:
        found, revision = _look(engine, file, schema)
        refusal = _refusal(file, found, revision, schema)
    except BaseException:
        engine.dispose()
        raise
    newer = found == "newer"
    notice = str(refusal) if newer or not asked else ""
    return Opened(path=file, engine=engine, refusal=refusal, notice=notice, newer=newer)


def _look(engine: Engine, file: Path, schema: Schema) -> tuple[Age, str | None]:
    try:
        with failures.told(file), engine.connect() as connection:
            return age(connection, file, schema), read_revision(connection)
    except StoreReadOnlyError as error:
        raise StoreReadOnlyError(
            f"the store {file} has a write-ahead log, which opens only for those who may write its folder\n"
            "  do: ask its owner for a finished copy (fleettui publish COPY), or for write permission"
        ) from error


def _refusal(file: Path, found: Age, revision: str | None, schema: Schema) -> StoreError:
    """Return what a write to a read-only store raises; raises StoreError when it cannot even be read."""
    if found == "empty":
        raise StoreError(f"the store {file} is empty and may not be written\n  do: open it with write permission")
    if found == "older":
        raise StoreError(
            f"the store {file} was written by an older fleettui (schema {revision}, now {schema.revision})\n"
            "  do: open it once with write permission, which upgrades it after making a copy"
        )
    if found == "newer":
        return StoreVersionError(
            f"the store {file} was written by a newer fleettui (schema {revision}, this one knows {schema.revision}): "
            "it is read-only here\n  do: upgrade fleettui"
        )
    return failures.read_only(file)


def prepare(engine: Engine, path: Path, schema: Schema, patience: float) -> Age:
    """Bring the file to `schema`: "current" afterwards, or "newer", in which case nothing was written."""
    with engine.connect() as connection:
        found = age(connection, path, schema)
        if found == "newer":
            return found
        use_wal(connection, patience)
    if found == "empty":
        with writing(engine) as connection:
            # Another program may have made the tables between our look and our lock.
            if age(connection, path, schema) == "empty":
                create(connection, schema)
    elif found == "older":
        from store.migrations.upgrade import upgrade

        upgrade(engine, path, schema)
    return "current"
