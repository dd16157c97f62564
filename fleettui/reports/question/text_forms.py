"""How each part of a question is read from text and written back: lists, pairs and choices over the units.

Every reader takes (text, where) and raises InputError; every writer returns what its reader reads as the same value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from fleettui.domain import drafts_tried, graph_bins, kv_offload
from fleettui.domain.borderline import MOST_GAMMA
from fleettui.domain.dtype import DTYPES
from fleettui.domain.layout import layout
from fleettui.domain.limit import BATCH, METRICS, Latency
from fleettui.domain.path_or_name import GPU_FILE, MODEL_FILE, QUESTION_FILES, is_path
from fleettui.domain.registry import Registry
from fleettui.domain.speculation import speculation
from fleettui.errors import InputError
from fleettui.reports import power_units, units
from fleettui.reports.quantity import LONGEST, Quantity

if TYPE_CHECKING:
    from fleettui.domain import study
    from fleettui.domain.calibration import Calibration

LONGEST_TEXT = 4096


@dataclass(frozen=True, slots=True)
class Form:
    """A reader and the writer that undoes it.

    `quantity` is what its values are, or those that are named in it; a text has no values between two others.
    `several` says how it holds several of them: in a row, or each with a name. `empty` is the word that stands for
    none. `noun` is what a refusal calls a value out of its range, `words` what each of a registry's names means.
    """

    read: Callable[[str, str | None], Any]
    write: Callable[[Any], str]
    _: KW_ONLY
    quantity: study.Quantity = "text"
    several: Literal["", "in a row", "named"] = ""
    empty: str = ""
    noun: str = "this"
    words: str = ""


def of_quantity(quantity: Quantity, told: study.Quantity = "number") -> Form:
    """Return the form of one quantity, whose values tables tell as `told`; a whole one is read as int."""

    def read(text: str, where: str | None) -> float:
        value = quantity.parse(text, where)
        return int(value) if quantity.whole else value

    return Form(read, quantity.write, quantity=told, noun=f"the {quantity.name}")


def optional(form: Form, word: str) -> Form:
    """Return `form` with `word` standing for None."""
    return replace(_with_word(form, word, None), empty=word)


def or_word(form: Form, word: str) -> Form:
    """Return `form` with `word` beside its values, as it stands."""
    return _with_word(form, word, word)


def _with_word(form: Form, word: str, meant: str | None) -> Form:
    """Return `form` with `word` beside what it reads, where that is `meant`."""

    def read(text: str, where: str | None) -> Any:
        if text.strip().lower() == word:
            return meant
        try:
            return form.read(text, where)
        except InputError as refusal:
            raise refusal.accepting(f"{refusal.accepted}, or {word}" if refusal.accepted else word) from None

    return replace(form, read=read, write=lambda value: word if value == meant else form.write(value))


def choice(known: Iterable[str]) -> Form:
    """Return the form of one word among `known`."""
    words = tuple(known)

    def read(text: str, where: str | None) -> str:
        if text.strip().lower() not in words:
            raise InputError("unknown word", where=where, value=text, accepted=", ".join(words))
        return text.strip().lower()

    return Form(read, str)


def member(registry: Registry[Any]) -> Form:
    """Return the form of one name of a registry."""
    return Form(lambda text, where: registry.named(text.strip().lower(), where).name, str, words=registry.help)


def numbers(known: Iterable[int], word: str = "") -> Form:
    """Return the form of a comma-separated list of whole numbers among `known`; `word` stands for an empty one."""
    allowed = tuple(known)
    accepted = ", ".join(map(str, allowed)) + ", or several with commas" + (f", or {word}" if word else "")

    def read(text: str, where: str | None) -> tuple[int, ...]:
        if word and text.strip().lower() == word:
            return ()
        parts = _parts(text)
        if not parts or any(part not in map(str, allowed) for part in parts):
            raise InputError("not among the numbers that can be searched", where=where, value=text, accepted=accepted)
        return tuple(sorted({int(part) for part in parts}))

    return Form(read, lambda value: ",".join(map(str, value)) or word, several="in a row", empty=word)


def _with_rates(text: str) -> str:
    from fleettui.hardware.acceptance import with_rates

    return with_rates(text)


SPECULATION = Form(lambda text, where: speculation(_with_rates(text), where).text, str)
"""How drafts are made and accepted, as said or as a file of a server's shows."""
DRAFTS = Form(lambda text, where: drafts_tried.written(_with_rates(text), where), str)
"""The same, or the number of drafts is left to the search."""


LAYOUT = Form(lambda text, where: layout(text, where).text, str)
"""How a stage of a replica is divided in both domains."""


def _expert_load(text: str, where: str | None) -> str:
    from fleettui.hardware.expert_counts import load_of

    return load_of(text, where).text


EXPERT_LOAD = Form(_expert_load, str)
"""How tokens choose among experts, as said or as a file of tokens per expert shows."""
GRAPH_BINS = Form(graph_bins.written, str)
"""The CUDA-graph bins to which steps are padded, or the word for the engine's own."""
KV_OFFLOAD = Form(kv_offload.written, str)
"""The memory beside each GPU that takes the cache of what is preempted, and the bandwidth of the way there."""


def list_of(form: Form, accepted: str) -> Form:
    """Return the form of a comma-separated list of `form`; raises when it is empty or says something twice."""

    def read(text: str, where: str | None) -> tuple[Any, ...]:
        values = tuple(form.read(part, where) for part in _parts(text))
        if not values or len(set(values)) < len(values):
            what = "something is said twice" if values else "the list is empty"
            raise InputError(what, where=where, value=text, accepted=accepted)
        return values

    return Form(read, lambda values: ",".join(form.write(value) for value in values), several="in a row")


def pairs(
    form: Form, accepted: str, named: Callable[[str, str | None], str] = lambda text, _: text, words: str = ""
) -> Form:
    """Return the form of a list of name=value, ordered by name; a name stands once.

    `named` reads a name in lower case, and may raise InputError; `words` say what each name means.
    """

    def read(text: str, where: str | None) -> tuple[tuple[str, Any], ...]:
        found = [part.partition("=") for part in _parts(text)]
        if not found or any(not name.strip() or not equals for name, equals, _ in found):
            raise InputError("this is no list of name=value", where=where, value=text, accepted=accepted)
        values = {named(name.strip().lower(), where): form.read(value, where) for name, _, value in found}
        if len(values) < len(found):
            raise InputError("a name stands twice", where=where, value=text, accepted=accepted)
        return tuple(sorted(values.items()))

    def write(values: Iterable[tuple[str, Any]]) -> str:
        return ",".join(f"{name}={form.write(value)}" for name, value in values)

    return Form(read, write, quantity=form.quantity, several="named", words=words)


def _read_percentiles(text: str, where: str | None) -> tuple[tuple[float, float], ...]:
    """Return ((share, tokens), ...), rising in both, or of one length all tokens the same; raises InputError.

    A number alone is that length of every request.
    """
    accepted = "two or more of percentile=tokens, rising: p50=900,p99=8k; or one length for all: 2048"
    if text.strip()[:1].isdigit() and "=" not in text and "," not in text:
        fixed = units.TOKENS.parse(text, where)
        return ((0.5, fixed), (0.99, fixed))
    found = [part.partition("=") for part in _parts(text)]
    if any(not equals for _, equals, _ in found):
        raise InputError("this is no list of percentiles", where=where, value=text, accepted=accepted)
    points = [(units.percentile(name, where), units.TOKENS.parse(tokens, where)) for name, _, tokens in found]
    alike = len({tokens for _, tokens in points}) == 1
    rising = all(low[0] < high[0] and (alike or low[1] < high[1]) for low, high in pairwise(points))
    if len(points) < 2 or not rising:
        raise InputError("percentiles must rise, two at least", where=where, value=text, accepted=accepted)
    return tuple(points)


def _write_percentiles(points: tuple[tuple[float, float], ...]) -> str:
    return ",".join(f"p{units.write_percentile(share)}={units.TOKENS.write(tokens)}" for share, tokens in points)


def _read_flag(text: str, where: str | None) -> bool:
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    if text.strip().lower() not in words:
        raise InputError("this is neither yes nor no", where=where, value=text, accepted="true, false")
    return words[text.strip().lower()]


def _read_text(text: str, where: str | None) -> str:
    if not text.strip() or len(text) > LONGEST_TEXT or "\0" in text:
        raise InputError("this text is empty or too long", where=where, value=text, accepted="1 to 4,096 characters")
    return text.strip()


def _read_workload(text: str, where: str | None) -> str:
    if text.strip().endswith(QUESTION_FILES):
        remedy = "fleettui plan -f FILE plans the question, and o opens it in the app"
        raise InputError("a question file is no workload", where=where, value=text, remedy=remedy)
    return _read_text(text, where)


def _name_or_path(suffix: str, check: Callable[[str, str | None], None]) -> Form:
    """Return the form of a name, read in lower case, or of a path, which has a separator or the suffix and stands.

    `check` raises InputError for a name that says more than may stand there.
    """

    def read(text: str, where: str | None) -> str:
        found = _read_text(text, where)
        if is_path(found, suffix):
            return found
        check(found, where)
        return found.lower()

    return Form(read, str)


_COUNTED = re.compile(r"(?P<gpu>[^:=*]+)[:=*]\s*(?P<count>\d+)")
"""A GPU with a number of them: h100:12."""


def _uncounted(text: str, where: str | None) -> None:
    """Raise InputError for a GPU with a number of them."""
    if found := _COUNTED.fullmatch(text.strip()):
        gpu, count = found["gpu"].strip().lower(), found["count"]
        raise InputError(
            "how many there are is no part of a GPU's name",
            where=where,
            value=text,
            accepted="names: h100,a100",
            remedy=f"gpu {gpu} with max-gpus {gpu}={count} (--gpu {gpu} --max-gpus {gpu}={count})",
        )


def _one_model(text: str, where: str | None) -> None:
    """Raise InputError for several models."""
    if "+" in text or "," in text:
        raise InputError(
            "this is more than one model",
            where=where,
            value=text,
            accepted="one model; several over one stock of GPUs stand in a file, under workloads:",
            remedy="fleettui plan -f FILE; its lines: fleettui plan --help",
        )


def _read_seed(text: str, where: str | None) -> int:
    if not (text.strip().isascii() and text.strip().isdigit() and len(text) <= LONGEST):
        raise InputError("this is no seed", where=where, value=text, accepted="a whole number from 0 to 2^63 - 1")
    return int(text)


def _read_fit(text: str, where: str | None) -> Calibration:
    from fleettui.hardware import kept_fits

    return kept_fits.kept(_read_text(text, where).lower(), where)


def _read_gamma(text: str, where: str | None) -> tuple[float, float]:
    """Return (least, largest) of a factor or of a range of factors."""
    accepted = f"a factor from 1 to {MOST_GAMMA:g}, or a range: 1.5, 1.0:2.0"
    ends = text.split(":")
    try:
        low, high = float(ends[0]), float(ends[-1])
    except ValueError:
        raise InputError("this is no factor", where=where, value=text, accepted=accepted) from None
    if len(ends) > 2 or not 1.0 <= low <= high <= MOST_GAMMA:
        raise InputError("this is no range of factors", where=where, value=text, accepted=accepted)
    return low, high


def _write_gamma(ends: tuple[float, float]) -> str:
    low, high = (f"{end!r}" for end in ends)
    return low if low == high else f"{low}:{high}"


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text[:LONGEST_TEXT].split(",") if part.strip()]


PERCENTILES = Form(_read_percentiles, _write_percentiles, several="in a row")
PERCENTILE = Form(units.percentile, units.write_percentile, quantity="share")
FLAG = Form(_read_flag, lambda value: str(value).lower())
TEXT, WORKLOAD_TEXT = Form(_read_text, str), Form(_read_workload, str)
MODEL, GPU = _name_or_path(MODEL_FILE, _one_model), _name_or_path(GPU_FILE, _uncounted)
NAME = Form(lambda text, where: _read_text(text, where).lower(), str)
SEED = Form(_read_seed, str)
DTYPE = choice(DTYPES)
TPS = ("1", "2", "4", "8")
TP = Form(lambda text, where: int(choice(TPS).read(text, where)), str)
"""GPUs per replica, where one number is asked for."""
PP = TP
"""Stages of a replica, where one number is asked for."""
FIT = Form(_read_fit, lambda fit: fit.name)
"""A fit that is kept, by its name."""
GAMMA = Form(_read_gamma, _write_gamma, quantity="number")
RATE, TOKEN_RATE = of_quantity(units.RATE, "rate"), of_quantity(units.TOKEN_RATE, "rate")
DURATION, TIME = of_quantity(units.DURATION, "seconds"), of_quantity(units.THINK_TIME, "seconds")
COUNT, WHOLE_TOKENS = of_quantity(units.COUNT, "count"), of_quantity(units.WHOLE_TOKENS, "tokens")
ENGINE_TIME = of_quantity(
    units.THINK_TIME._replace(limit=60.0, accepted="a number with a unit, up to 60s: 3ms, 90us, 0s"), "seconds"
)
SHARE, FACTOR = of_quantity(units.SHARE, "share"), of_quantity(units.FACTOR, "number")
PRICE, MONEY_RATE = of_quantity(units.PRICE, "dollars per hour"), of_quantity(units.MONEY_RATE, "dollars per hour")
CORE_PRICE = of_quantity(units.CORE_PRICE, "dollars per hour")
POWER, HOST_POWER = of_quantity(units.POWER, "watts"), of_quantity(power_units.HOST_POWER, "watts")
POWER_PRICE, CARBON = of_quantity(power_units.POWER_PRICE), of_quantity(power_units.CARBON)


def latency_name(text: str, where: str | None) -> str:
    """Return the name of a latency as it stands in a question: ttft.p50 and e2e.99.9 are read; raises InputError.

    Those of class batch need no percentile of their own.

    >>> latency_name("e2e.99.9", None), latency_name("batch.ttft", None), latency_name("batch.ttft.p95", None)
    ('e2e.p99.9', 'batch.ttft', 'batch.ttft.p95')
    """
    batch = text.startswith(f"{BATCH}.")
    metric, dot, rank = text.removeprefix(f"{BATCH}.").partition(".")
    if not dot and not batch:
        raise InputError("the percentile is missing", where=where, value=text, accepted=f"such as {text}.p50")
    name = METRICS.named(metric, where).name
    return Latency(metric=name, percentile=units.percentile(rank, where) if dot else None, batch=batch).name
