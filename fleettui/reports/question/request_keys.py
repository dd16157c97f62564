"""What more is said of requests: what they share, which wait, and by how much they may be longer than recorded."""

from __future__ import annotations

from functools import partial

from fleettui.reports.question.class_keys import CLASS_KEYS
from fleettui.reports.question.key import Key
from fleettui.reports.question.prefix_keys import PREFIX_KEYS
from fleettui.reports.question.text_forms import FACTOR

_Length = partial(Key, of_given=True, is_swept=False)

LENGTH_KEYS = (
    _Length("prompt-length", FACTOR, "0.9", "prompt tokens over those recorded", fills="lengths.prompt"),
    _Length("output-length", FACTOR, "1.2", "output tokens over those recorded", fills="lengths.output"),
)
REQUEST_KEYS = (*PREFIX_KEYS, *LENGTH_KEYS, *CLASS_KEYS)
