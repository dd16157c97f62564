"""Where a GPU or a model is named, a path stands for a file of the user's: how they are told apart, by their ends."""

from __future__ import annotations

GPU_FILE, MODEL_FILE = ".toml", ".json"
"""How the names of such files end."""
QUESTION_FILES = (".yaml", ".yml")
"""How the name of a question file ends; any other file is a workload."""


def is_path(text: str, suffix: str) -> bool:
    """Return whether `text` is a path and no name of the catalogue: it has a separator or ends in `suffix`.

    >>> is_path("./mine", GPU_FILE), is_path("mine.toml", GPU_FILE), is_path("h100", GPU_FILE)
    (True, True, False)
    """
    return "/" in text or "\\" in text or text.endswith(suffix)
