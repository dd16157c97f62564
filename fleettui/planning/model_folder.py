"""Where a language model's files are: in a folder that is named, or in the cache of the Hugging Face hub."""

from __future__ import annotations

import os
from pathlib import Path


def model_folder(named: str) -> str:
    """Return the path of the folder of a model; the newest in the hub's cache where `named` is no folder but a name.

    What is neither comes back as the path that it would be: whoever reads it says what is missing there.
    """
    folder = Path(named).expanduser()
    if not folder.exists():
        kept = _hub() / f"models--{named.strip('/').replace('/', '--')}" / "snapshots"
        found = sorted(kept.glob("*/config.json"), key=lambda path: (path.stat().st_mtime, str(path)))
        folder = found[-1].parent if found else folder
    return str(folder.resolve())


def _hub() -> Path:
    """Return the cache of the hub, as its own programs find it."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface").expanduser()
    return Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
