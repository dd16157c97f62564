"""The shipped length distributions, and `length-distribution/1` as text. Light: imports neither numpy nor pydantic.

One JSON object: `format`, `name`, `kind`, then by kind `atoms` ([count, input tokens, output tokens]) for `joint`,
`cdf` ([tokens, cumulative fraction]) and `output_share` for `total`, `prompt_cdf` and `output_cdf` for `marginals`;
a joint file carries its `cdf` of total tokens too. Around them `source url licence attribution derivation`, `stats`,
`arrivals`, `n_samples`, `dropped`, `notes`; a file of several time slices has them in `slices`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cdfs
from fleettui.domain.prefixes import PrefixRecord
from fleettui.domain.sessions import SessionRecord
from fleettui.domain.workload import (
    ArrivalStatistics,
    Atom,
    BusyMinute,
    CdfPoint,
    LengthDistribution,
    LengthKind,
    LengthStatistics,
    Origin,
    TimeSlice,
    Timing,
    Workload,
)
from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads import json_fields

FORMAT = "length-distribution/1"
LISTING = "fleettui workload list"
"""The command that shows the shipped workloads."""
_FOLDER = Path(cdfs.__file__).parent
_ORIGIN = ("source", "url", "licence", "attribution", "derivation")
_SUMMARY = ("mean", "p50", "p90", "p95", "p99", "maximum", "scv")
_LENGTHS = ("prompt", "output", "total")
_KINDS: tuple[LengthKind, ...] = ("joint", "total", "marginals")
_TIMINGS: tuple[Timing, ...] = ("recorded", "ticks", "fitted", "none", "profile")
_ROWS = ("atoms", "cdf", "prompt_cdf", "output_cdf")


def names() -> tuple[str, ...]:
    """Return the names of the shipped workloads, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.json")))


def path(name: str) -> Path:
    """Return the file of a shipped workload; raises UnknownNameError listing the known names."""
    if name not in names():
        raise UnknownNameError("workload", name, names(), listing=LISTING)
    return _FOLDER / f"{name}.json"


def load(name: str) -> Workload:
    """Return a shipped workload; raises UnknownNameError listing the known names."""
    file = path(name)
    return parse(file.read_text(encoding="utf-8"), str(file))


def prefixes(name: str) -> PrefixRecord | None:
    """Return what the requests of a shipped workload share, in the order of its trace; None where that is not shipped.

    Its file is of `prefix-record/1`: an object with source and licence, `block`, `rate` and `rows` as PrefixRecord's.
    """
    file = _FOLDER / "prefixes" / f"{name}.json"
    if not file.is_file():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    return PrefixRecord(block=found["block"], rows=tuple(map(tuple, found["rows"])), rate=found["rate"])


def sessions(name: str) -> SessionRecord | None:
    """Return the sessions to which the requests of a shipped workload belong; None where they are not shipped.

    Its file is of `session-record/1`: an object with source and licence, `recorded`, `common` and `rows` as
    SessionRecord's.
    """
    file = _FOLDER / "sessions" / f"{name}.json"
    if not file.is_file():
        return None
    found = json.loads(file.read_text(encoding="utf-8"))
    rows = tuple(map(tuple, found["rows"]))
    return SessionRecord(rows=rows, recorded=found["recorded"], common=found["common"])


def dump_sessions(record: SessionRecord, name: str, origin: Mapping[str, str]) -> str:
    """Return `record` as `session-record/1`, a session a line; `sessions` gives it back unchanged."""
    body: dict[str, Any] = {"format": "session-record/1", "name": name, **origin}
    body |= {"recorded": record.recorded, "common": record.common}
    rows = ",\n".join(json.dumps([_short(number) for number in row], separators=(",", ":")) for row in record.rows)
    return f'{json.dumps(body, indent=1, ensure_ascii=False)[:-2]},\n "rows": [\n{rows}\n ]\n}}\n'


def parse(text: str, where: str, output_share: float | None = None, part: str | None = None) -> Workload:
    """Return the workload that `text` describes.

    `text` is a `length-distribution/1` object, a bare list of [tokens, cumulative fraction], or an object whose
    `cdfs` holds several of these, of which `part` names one. `output_share` belongs to distributions of total
    tokens and wins over the file's. Raises InputError, with `where` and the field or line, for anything else.
    """
    found, where = _choose(_decode(text, where), where, part)
    if isinstance(found, list):
        found = {"format": FORMAT, "kind": "total", "cdf": found}
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        seen = found.get("format") if isinstance(found, dict) else found
        raise InputError("format is not known", where=where, value=seen, accepted=f'"format": "{FORMAT}", or a list')
    try:
        return _workload(found, output_share, Path(where.split("#")[-1]).stem)
    except InputError as error:
        raise json_fields.located(error, where) from None


def dump(workload: Workload) -> str:
    """Return `workload` as `length-distribution/1`, one row of numbers a line; `parse` gives it back unchanged."""
    body: dict[str, Any] = {"format": FORMAT, "name": workload.name}
    body |= {key: getattr(workload.origin, key) for key in _ORIGIN}
    body |= {"notes": list(workload.notes), "dropped": workload.dropped, "arrivals": _plain_arrivals(workload.arrivals)}
    if len(workload.slices) == 1 and _spans(workload, workload.slices[0]):
        body |= _plain_lengths(workload.slices[0].lengths)
    else:
        body["slices"] = [
            {"start": part.start, "duration": part.duration, "rate": part.rate} | _plain_lengths(part.lengths)
            for part in workload.slices
        ]
    return "".join(_lines(body, "")) + "\n"


def _decode(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip())
        raise InputError(
            "the JSON ends too early" if cut else f"is not JSON: {error.msg}",
            where=f"{where}: line {error.lineno}",
            value=text[max(error.pos - 20, 0) : error.pos + 20],
            accepted="one complete JSON object or list",
            remedy="fetch or write the file again" if cut else "correct the line",
        ) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", where=where, accepted=FORMAT) from None
    except ValueError:  # an integer of thousands of digits
        raise InputError("a number is too long", where=where, accepted=FORMAT) from None


def _choose(found: object, where: str, part: str | None) -> tuple[object, str]:
    several = found.get("cdfs") if isinstance(found, dict) else None
    if not isinstance(several, dict):
        if part is not None:
            raise InputError("holds one distribution, not several by name", where=where, value=f"#{part}")
        return found, where
    if part is None:
        raise InputError(
            "holds several distributions", where=where, accepted=", ".join(several), remedy=f"say {where}#NAME"
        )
    if part not in several:
        raise UnknownNameError("distribution", part, several, where=where)
    return several[part], f"{where}#{part}"


def _workload(plain: dict[str, Any], output_share: float | None, stem: str) -> Workload:
    arrivals = _arrivals(json_fields.mapping(plain, "arrivals"))
    parts = plain.get("slices")
    if parts is None:
        slices: tuple[TimeSlice, ...] = (_whole(_lengths(plain, output_share), arrivals),)
    else:
        slices = tuple(
            TimeSlice(
                start=json_fields.number(part, "start"),
                duration=json_fields.number(part, "duration"),
                rate=json_fields.optional_number(part, "rate"),
                lengths=_lengths(part, output_share),
            )
            for part in json_fields.mappings(plain, "slices")
        )
    return Workload(
        name=json_fields.text(plain, "name") or stem,
        slices=slices,
        arrivals=arrivals,
        origin=Origin(**{key: json_fields.text(plain, key) for key in _ORIGIN}),
        dropped=json_fields.count(plain, "dropped"),
        notes=json_fields.texts(plain, "notes"),
    )


def _whole(lengths: LengthDistribution, arrivals: ArrivalStatistics) -> TimeSlice:
    return TimeSlice(start=0.0, duration=arrivals.duration or 0.0, rate=arrivals.mean_rate, lengths=lengths)


def _spans(workload: Workload, part: TimeSlice) -> bool:
    return part == _whole(part.lengths, workload.arrivals)


def _lengths(plain: dict[str, Any], output_share: float | None) -> LengthDistribution:
    kind = json_fields.choice(plain, "kind", _KINDS)
    stated = json_fields.optional_number(plain, "output_share")
    if kind != "total" and (output_share is not None or stated is not None):
        raise share_misplaced(kind)
    atoms: tuple[Atom, ...] = tuple((a, b, c) for a, b, c in json_fields.rows(plain, "atoms", 3))
    cdf, prompt_cdf, output_cdf = (
        tuple((tokens, fraction) for tokens, fraction in json_fields.rows(plain, key, 2)) for key in _ROWS[1:]
    )
    summaries = json_fields.mapping(plain, "stats")
    lengths = LengthDistribution(
        kind=kind,
        atoms=atoms,
        cdf=cdf,
        output_share=stated if output_share is None else output_share,
        prompt_cdf=prompt_cdf,
        output_cdf=output_cdf,
        n_samples=json_fields.count(plain, "n_samples"),
        **{key: _statistics(summaries, key) for key in _LENGTHS},
    )
    _check_tokens(lengths)
    return lengths


def share_misplaced(kind: str) -> InputError:
    """Return the refusal of an output share for lengths that already say how many tokens are output."""
    return InputError(
        f"an output share does not belong to {kind} lengths",
        accepted="an output share for distributions of total tokens only",
        remedy="leave out --output-share (or output_share)",
    )


def _check_tokens(lengths: LengthDistribution) -> None:
    for name in _ROWS[1:]:
        points: tuple[CdfPoint, ...] = getattr(lengths, name)
        if points and points[-1][0] > json_fields.MOST_TOKENS:
            raise InputError(
                "a request cannot be that long",
                where=name,
                value=points[-1][0],
                accepted=f"up to {json_fields.MOST_TOKENS:,} tokens",
            )


def _statistics(summaries: dict[str, Any], key: str) -> LengthStatistics | None:
    if key not in summaries:
        return None
    found = json_fields.mapping(summaries, key)
    return LengthStatistics(**{name: json_fields.number(found, name) for name in _SUMMARY})


def _arrivals(plain: dict[str, Any]) -> ArrivalStatistics:
    if not plain:
        return ArrivalStatistics()
    return ArrivalStatistics(
        timing=json_fields.choice(plain, "timing", _TIMINGS),
        mean_rate=json_fields.optional_number(plain, "mean_rate"),
        duration=json_fields.optional_number(plain, "duration"),
        interarrival_cv=json_fields.optional_number(plain, "cv"),
        dispersion=json_fields.windows(plain, "dispersion"),
        busy=_busy(json_fields.mapping(plain, "busy")) if "busy" in plain else None,
    )


def _busy(plain: dict[str, Any]) -> BusyMinute:
    return BusyMinute(minutes=json_fields.count(plain, "minutes"), times=json_fields.number(plain, "times"))


def _plain_arrivals(arrivals: ArrivalStatistics) -> dict[str, Any]:
    busy = arrivals.busy
    plain = {
        "timing": arrivals.timing,
        "mean_rate": arrivals.mean_rate,
        "duration": arrivals.duration,
        "cv": arrivals.interarrival_cv,
        "dispersion": {f"{window:g}": value for window, value in arrivals.dispersion},
    }
    return plain if busy is None else {**plain, "busy": {"minutes": busy.minutes, "times": busy.times}}


def _plain_lengths(lengths: LengthDistribution) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": lengths.kind, "n_samples": lengths.n_samples}
    if lengths.output_share is not None:
        plain["output_share"] = lengths.output_share
    summaries = {key: getattr(lengths, key) for key in _LENGTHS if getattr(lengths, key) is not None}
    if summaries:
        plain["stats"] = {
            key: {name: _short(getattr(summary, name)) for name in _SUMMARY} for key, summary in summaries.items()
        }
    rows: dict[str, Any] = {key: getattr(lengths, key) for key in reversed(_ROWS) if getattr(lengths, key)}
    return plain | rows


def _lines(body: dict[str, Any], indent: str) -> Iterator[str]:
    """Yield JSON with a key a line; rows of numbers get a line each, and slices are objects of the same kind."""
    yield "{\n"
    for index, (key, value) in enumerate(body.items()):
        yield f"{indent} {json.dumps(key)}: "
        if key in _ROWS:
            yield _table(value, indent + "  ")
        elif key == "slices":
            yield "[" + ",\n".join("".join(_lines(part, indent + "  ")) for part in value) + "]"
        else:
            yield json.dumps(value, ensure_ascii=False, allow_nan=False)
        yield ",\n" if index < len(body) - 1 else "\n"
    yield indent + "}"


def _table(rows: tuple[tuple[float, ...], ...], indent: str) -> str:
    lines = (json.dumps([_short(number) for number in row], allow_nan=False) for row in rows)
    return "[\n" + ",\n".join(indent + line for line in lines) + "]"


def _short(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number
