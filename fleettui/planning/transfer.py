"""Plans and stores that change hands: a bundle taken in, the store copied or pruned."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fleettui.errors import InputError
from fleettui.planning.user_files import check_free, read_bytes
from fleettui.user_paths import path_of

if TYPE_CHECKING:
    from pathlib import Path

    from store import Store
    from store.bundle_merge import Merged
    from store.prune import Prunable

MOST_DAYS = 36_500


def take_in(store: Store, path: str) -> Merged:
    """Add the plans of the bundle at `path`, all of them or none; raises InputError for what does not fit."""
    from store.bundle_format import LARGEST_FILE

    return store.take_in(read_bytes(str(path_of(path, "FILE")), "bundle", LARGEST_FILE), path)


def taken_text(merged: Merged) -> str:
    """Return what came of a bundle, in lines."""
    lines = [f"{len(merged.added)} {_plans(merged.added)} added: {', '.join(merged.added)}"] if merged.added else []
    if merged.known:
        lines.append(f"{len(merged.known)} {_plans(merged.known)} here already, as before: {', '.join(merged.known)}")
    lines += [f"the name {old!r} was taken: the plan is called {new!r} here" for old, new in merged.renamed]
    return "\n".join(lines) or "the bundle holds no plan"


def _plans(handles: tuple[str, ...]) -> str:
    return "plan" if len(handles) == 1 else "plans"


def backup_target(store: Store, path: str) -> Path:
    """Return the new file for a backup, beside the store and named by the time where `path` is empty."""
    if path:
        return new_file(path)
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    target = store.path.with_name(f"{store.path.name}.backup-{moment}")
    check_free(target, "FILE")
    return target


def age_of(text: str) -> timedelta:
    """Return the time that a word such as `90d` or `12w` says; raises InputError for another."""
    match = re.fullmatch(r"(\d{1,5})([dw])", text.strip())
    if match is None or (days := int(match[1]) * (7 if match[2] == "w" else 1)) > MOST_DAYS:
        raise InputError("not an age", where="--older-than", value=text, accepted="days or weeks, such as 90d or 12w")
    return timedelta(days=days)


def pruned_text(found: Prunable, *, done: bool) -> str:
    """Return what went, or would go, in one line."""
    what = f"{found.replications} replications and {found.plans} archived plans, {found.bytes / 1e6:.2f} MB"
    return f"deleted: {what}" if done else f"would go: {what}; nothing is deleted yet, --yes does it"


def new_file(path: str) -> Path:
    """Return the path of a file that is not there yet; raises InputError for any other."""
    target = path_of(path, "FILE")
    check_free(target, "FILE")
    return target
