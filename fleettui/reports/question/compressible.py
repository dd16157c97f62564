"""The share of borderline requests that can be compressed: typed, or a study that measured it."""

from __future__ import annotations

import re

from fleettui.domain.measured_share import MeasuredShare
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.question.text_forms import Form

ACCEPTED = "a share, 75%, or a study of fleettui compress by its handle"
_STUDY = re.compile(r"[0-9a-f]{4,64}|[0-9A-HJKMNP-TV-Z]{26}|last(?:~\d{1,6})?")
_MEASURED = re.compile(
    r"(?P<share>\S+) measured by (?P<study>\S+): (?P<low>\S+) to (?P<high>\S+), split (?P<split>\d+), "
    r"gamma (?P<gamma>\S+), P99 (?P<seconds>[^\s,]+)(?:, mean (?P<mean>\S+))?"
)


def _read(text: str, where: str | None) -> float | MeasuredShare:
    said = text.strip()
    if _STUDY.fullmatch(said):
        return MeasuredShare(study=said)
    found = _MEASURED.fullmatch(said[:400])
    if found is None:
        try:
            return units.SHARE.parse(said, where)
        except InputError as error:
            raise error.accepting(ACCEPTED) from None
    share, low, high = (units.SHARE.parse(found[name], where) for name in ("share", "low", "high"))
    return MeasuredShare(
        study=found["study"],
        share=share,
        low=low,
        high=high,
        split=int(units.WHOLE_TOKENS.parse(found["split"], where)),
        gamma=units.FACTOR.parse(found["gamma"], where),
        seconds=units.THINK_TIME.parse(found["seconds"], where),
        mean_seconds=units.THINK_TIME.parse(found["mean"], where) if found["mean"] else 0.0,
    )


def _write(value: float | MeasuredShare) -> str:
    if not isinstance(value, MeasuredShare):
        return units.SHARE.write(value)
    if not value.is_known:
        return value.study
    share, low, high = (units.SHARE.write(one) for one in (value.share, value.low, value.high))
    mean = f", mean {units.THINK_TIME.write(value.mean_seconds)}" if value.mean_seconds else ""
    return (
        f"{share} measured by {value.study}: {low} to {high}, split {value.split}, "
        f"gamma {units.FACTOR.write(value.gamma)}, P99 {units.THINK_TIME.write(value.seconds)}{mean}"
    )


COMPRESSIBLE = Form(_read, _write, quantity="share", noun="the share")
