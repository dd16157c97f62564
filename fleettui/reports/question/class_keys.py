"""The part of a question that says which requests wait behind others."""

from __future__ import annotations

from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import SHARE

CLASS_KEYS = (Key("batch-share", SHARE, "30%", "share of requests that wait behind all others", of_given=True),)
