"""Cells of a block of CSV parsed all at once with numpy; None wherever a cell is unusual, so that a slow path looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fleettui.workloads.formats.base import Floats

_PADDING = 64
_LONGEST_INTEGER = 9
_LONGEST_DECIMAL = 18
_EXACT = 2**53
_POWERS = np.array([10.0**power for power in range(_LONGEST_DECIMAL + 1)])
_ZERO, _POINT, _COMMA, _QUOTE, _LINE_FEED = b'0.,"\n'

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]


class Column(NamedTuple):
    """One column of a block: cell i is `text[starts[i] : ends[i]]`; `text` is padded so that reads may overrun."""

    text: Bytes
    starts: Positions
    ends: Positions

    @property
    def widths(self) -> Positions:
        """Characters in each cell."""
        return self.ends - self.starts


def split(data: bytes, count: int) -> list[Column] | None:
    """Return the `count` columns of whole lines, or None if a line has another number of cells, or quotes."""
    text = np.frombuffer(data + b"\n" * _PADDING, dtype=np.uint8)
    inside = text[: len(data)]
    breaks = np.flatnonzero((inside == _COMMA) | (inside == _LINE_FEED))
    if len(breaks) % count or (inside == _QUOTE).any():
        return None
    ends = breaks.reshape(-1, count)
    at_ends = text[ends]
    if (at_ends[:, -1] != _LINE_FEED).any() or (at_ends[:, :-1] != _COMMA).any():
        return None
    starts = np.concatenate(([0], breaks[:-1] + 1)).reshape(-1, count)
    return [
        Column(text, np.ascontiguousarray(starts[:, index]), np.ascontiguousarray(ends[:, index]))
        for index in range(count)
    ]


def integers(column: Column) -> npt.NDArray[np.int32] | None:
    """Return cells of 1 to 9 digits, all above zero; None if one is anything else."""
    widths = column.widths
    longest = int(widths.max())
    if widths.min() < 1 or longest > _LONGEST_INTEGER:
        return None
    values = np.zeros(len(widths), dtype=np.int32)
    for place in range(longest):
        live = place < widths
        digits = column.text[column.starts + place] - np.uint8(_ZERO)
        if (live & (digits > 9)).any():
            return None
        values = np.where(live, values * np.int32(10) + digits, values)
    return None if (values == 0).any() else values


def decimals(column: Column) -> Floats | None:
    """Return cells such as 12.0345 as the nearest floats; None if one has a sign, an exponent or too many digits."""
    widths = column.widths
    longest = int(widths.max())
    if widths.min() < 1 or longest > _LONGEST_DECIMAL:
        return None
    mantissa = np.zeros(len(widths), dtype=np.int64)
    digits_after = np.zeros(len(widths), dtype=np.int64)
    pointed = np.zeros(len(widths), dtype=bool)
    for place in range(longest):
        live = place < widths
        character = column.text[column.starts + place]
        point = live & (character == _POINT)
        number = live & ~point
        digits = character - np.uint8(_ZERO)
        if (point & pointed).any() or (number & (digits > 9)).any():
            return None
        mantissa = np.where(number, mantissa * 10 + digits, mantissa)
        digits_after += number & pointed
        pointed |= point
    if (mantissa >= _EXACT).any() or (widths == pointed).any():
        return None
    return np.asarray(mantissa / _POWERS[digits_after], dtype=np.float64)


def moments(column: Column) -> Floats | None:
    """Return cells such as 2023-11-16 18:17:03.9799600, in UTC, as seconds since 1970; None if one differs."""
    widths = column.widths
    values = np.empty(len(widths))
    for width in np.unique(widths):
        same = np.flatnonzero(widths == width)
        if not 19 <= width <= _PADDING:
            return None
        parsed = _moments_of(column.text[column.starts[same, None] + np.arange(width)])
        if parsed is None:
            return None
        values[same] = parsed
    return values


def _moments_of(text: Bytes) -> Floats | None:
    """Return seconds since 1970 for rows of equal width; `text` is (rows, characters)."""
    zone = np.frombuffer(b"+00:00", dtype=np.uint8)
    if text.shape[1] >= 25 and (text[:, -6:] == zone).all():
        text = text[:, :-6]
    frame = np.frombuffer(b"0000-00-00 00:00:00.", dtype=np.uint8)[: text.shape[1]]
    marks = np.flatnonzero(frame != _ZERO)
    digits = (text - np.uint8(_ZERO)).astype(np.int64)
    numeric = np.delete(digits, marks, axis=1)
    spaced = text[:, marks] == frame[marks]
    spaced[:, 2] |= text[:, 10] == ord("T")
    if text.shape[1] in (20, 21 + _LONGEST_DECIMAL) or not spaced.all() or (numeric > 9).any() or (numeric < 0).any():
        return None
    year, month, day, hour, minute, second = (_number(digits[:, a:b]) for a, b in _FIELDS)
    if _out_of_range(month, day, hour, minute, second):
        return None
    months = (year - 1970) * 12 + month - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]") + (day - 1)
    if (days.astype("datetime64[M]").astype(np.int64) != months).any():
        return None
    fraction = digits[:, 20:36]
    whole = days.astype(np.int64) * 86_400 + hour * 3_600 + minute * 60 + second
    return np.asarray(whole + _number(fraction) / 10.0 ** fraction.shape[1], dtype=np.float64)


_FIELDS = ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19))


def _out_of_range(*fields: npt.NDArray[np.int64]) -> bool:
    limits = ((1, 12), (1, 31), (0, 23), (0, 59), (0, 59))
    return any(((field < low) | (field > high)).any() for field, (low, high) in zip(fields, limits, strict=True))


def _number(digits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    value = np.zeros(len(digits), dtype=np.int64)
    for place in range(digits.shape[1]):
        value = value * 10 + digits[:, place]
    return value
