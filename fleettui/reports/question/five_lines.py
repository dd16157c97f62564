"""The five lines of a new question: each a phrase that a person types, and the keys of a question that it stands for.

A line says all of its keys: those that its phrase leaves out come back as empty texts, so that nothing set before
lingers behind a line that no longer says it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from fleettui.domain.dtype import CACHE_DTYPES
from fleettui.domain.limit import ALWAYS, BATCH, METRICS
from fleettui.domain.path_or_name import MODEL_FILE, is_path
from fleettui.domain.scenario import DTYPE_CHOICES
from fleettui.errors import NEAR, InputError, UnknownNameError
from fleettui.hardware import catalog
from fleettui.reports import units
from fleettui.reports.question.keys import BY_NAME, OWN

Texts = Mapping[str, str]

SPREAD = "expert-parallel"
HIT = "prefix-hit"
STOCK = " stock "
"""What stands before counts of GPUs that are not all of those that are searched."""
_HIT = re.compile(r"(?P<rest>.+?)[\s,]+(?:prefix[\s-]*)?hit[\s=]*(?P<hit>[\d.:%]+\s*%?)", re.IGNORECASE)
_COUNTED = re.compile(r"(?<![\w=.])(?P<count>\d+)\s*[x×*]?\s+(?P<gpu>[a-z./~][^\s,+=]*)", re.IGNORECASE)
"""GPUs with their number before them: 64 h100."""
_TIMES = r"\s*[x×*]\s*"
_PEAK = rf"(?:(?:{_TIMES}|\s*,?\s+peak\s+(?:x\s*)?)(?P<peak>.+))?"
"""By how much more comes at the peak, as a factor or after its word."""
_USERS = re.compile(rf"(?P<users>.+?)\s*users?{_TIMES}(?P<each>.+?){_PEAK}", re.IGNORECASE)
_EACH = re.compile(
    r"(?P<users>.+?)\s*users?\s*,?\s+(?P<low>[\d.]+)(?:\s*(?:to|-|:)\s*(?P<high>[\d.]+))?\s*requests?\s*"
    r"(?:/|an?\s|per\s)\s*(?P<time>hour|day|minute|second)(?:\s+each)?",
    re.IGNORECASE,
)
"""Users with what each sends, as it is said: 20000 users 4 to 8 requests an hour each."""
_SENDING = re.compile(
    rf"(?P<users>.+?)\s*users?\s*,?\s+(?:at\s+|each\s+)?(?P<each>[\d.:]+\s*/\s*\w+){_PEAK}",
    re.IGNORECASE,
)
"""The same with no sign between: 3000 users 12/h."""
_TIMES_SAID = {"hour": "h", "day": "day", "minute": "min", "second": "s"}
_TOKENS = re.compile(
    r"(?P<number>.+?)\s*tokens?\s*(?:/|per\s)\s*(?P<time>\w+)(?:\s*,?\s*peak(?:\s+hour)?\s+(?P<peak>.+))?",
    re.IGNORECASE,
)
_CLIENTS = re.compile(r"(?P<clients>.+?)\s*clients?(?:\s*,?\s*think(?:ing)?\s+(?P<think>.+))?", re.IGNORECASE)
_RECORDED = re.compile(r"(?:as\s+)?recorded", re.IGNORECASE)
_PERCENTILES = re.compile(r"(?=(?:prompt|output)\s+p?\s*[\d.])", re.IGNORECASE)
_DTYPE = re.compile(rf"(?P<rest>.*)\s(?P<dtype>{'|'.join(DTYPE_CHOICES)})", re.IGNORECASE)
_CACHE = re.compile(rf"(?P<rest>.*)\skv[\s=]*(?P<kv_dtype>{'|'.join((OWN, *CACHE_DTYPES))})", re.IGNORECASE)
_SPREAD = re.compile(r"(?P<rest>.*)\s(?P<expert_parallel>ep)", re.IGNORECASE)
_PP = re.compile(r"(?P<rest>.*)\spp[\s=]*(?P<pp>\d[\d\s,]*)", re.IGNORECASE)
_TP = re.compile(r"(?P<rest>.*)\stp[\s=]*(?P<tp>auto|\d[\d\s,]*)", re.IGNORECASE)
_TIME = rf"[-+]?[\d.][\d._]*(?:e[-+]?\d+)?(?:\s*(?:{'|'.join(units.DURATION.units)})\b)?"
_LIMIT = re.compile(
    rf"\b(?P<metric>{'|'.join(one.name for one in ALWAYS)})\s*(?:<=?|≤|=|:)?\s*(?P<time>{_TIME})", re.IGNORECASE
)
_FURTHER = re.compile(
    rf"\b(?P<latency>(?:{'|'.join(METRICS.names)})\.[p\d.]+|{BATCH}\.(?:{'|'.join(METRICS.names)})(?:\.[p\d.]+)?)"
    rf"(?:\s*(?:<=?|≤|=|:)\s*|\s+)(?P<time>{_TIME})",
    re.IGNORECASE,
)
"""A limit at a percentile of its own, or of class batch: ttft.p50=200ms, batch.ttft=60s."""
_ALONE = re.compile(_TIME, re.IGNORECASE)
"""A time alone, which is meant for the first token."""
_RANK = re.compile(r"\bp\s*(?P<rank>[\d.]+\s*%?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """One line: its name and label, what is accepted (each an example), its keys, and how it is read and written."""

    name: str
    label: str
    accepted: str
    keys: tuple[str, ...]
    reader: Callable[[str, Phrase], dict[str, str]]
    writer: Callable[[Texts], str]

    def refusal(self, what: str, text: str) -> InputError:
        """Return the refusal of `text`."""
        return InputError(what, where=self.label, value=text, accepted=self.accepted)


def read(line: str, text: str) -> dict[str, str]:
    """Return the text of every key of the line called `line`, empty where the phrase leaves it out.

    Raises InputError that says what is accepted, with examples.

    >>> read("model", "qwen3-32b fp8")
    {'model': 'qwen3-32b', 'dtype': 'fp8', 'kv-dtype': '', 'tp': '', 'pp': '', 'expert-parallel': ''}
    """
    phrase = phrase_of(line)
    whole = text.strip()
    if not whole:
        raise phrase.refusal("this line is empty", text)
    found = phrase.reader(whole, phrase)
    for name, said in found.items():
        if said == whole:
            _check_whole(phrase, name, said)
        else:
            BY_NAME[name].read(said, f"{phrase.label}, {name}")
    return {name: found.get(name, "") for name in phrase.keys}


def _check_whole(phrase: Phrase, name: str, text: str) -> None:
    """Raise InputError, with all that the line accepts, where a text that is a whole line is none of its key."""
    try:
        BY_NAME[name].read(text, phrase.label)
    except InputError as error:
        raise error.accepting(phrase.accepted) from None


def write(line: str, texts: Texts) -> str:
    """Return the phrase that reads back as `texts`, of which only the line's own keys count; empty says nothing.

    >>> write("demand", {"users": "20000", "requests-per-user": "6/h", "peak-factor": "2.5"})
    '20000 users x 6/h x 2.5'
    """
    phrase = phrase_of(line)
    return phrase.writer({name: texts[name] for name in phrase.keys if texts.get(name)})


def phrase_of(line: str) -> Phrase:
    """Return the line called `line`; raises UnknownNameError listing the five."""
    found = next((phrase for phrase in PHRASES if phrase.name == line), None)
    if found is None:
        raise UnknownNameError("line", line, (phrase.name for phrase in PHRASES))
    return found


def _read_demand(text: str, phrase: Phrase) -> dict[str, str]:
    if _RECORDED.fullmatch(text):
        return {}
    if found := _USERS.fullmatch(text) or _SENDING.fullmatch(text):
        return _said(users=found["users"], requests_per_user=found["each"], peak_factor=found["peak"])
    if found := _EACH.fullmatch(text):
        unit = _TIMES_SAID[found["time"].lower()]
        ends = [f"{one}/{unit}" for one in (found["low"], found["high"]) if one]
        return _said(users=found["users"], requests_per_user=":".join(ends), peak_factor=None)
    if found := _TOKENS.fullmatch(text):
        return _said(tokens=f"{found['number']}/{found['time']}", peak_hour=found["peak"])
    if found := _CLIENTS.fullmatch(text):
        return _said(concurrency=found["clients"], think=found["think"])
    if "user" in text.lower():
        raise phrase.refusal("users need the requests that each of them sends: 3000 users x 12/h", text)
    if not any(character.isdigit() for character in text):
        raise phrase.refusal("this is no demand", text)
    return {"rate": text}


def _write_demand(texts: Texts) -> str:
    if "rate" in texts:
        return texts["rate"]
    if "users" in texts:
        parts = (f"{texts['users']} users", texts.get("requests-per-user"), texts.get("peak-factor"))
        return " x ".join(filter(None, parts))
    if "tokens" in texts:
        number, _, time = texts["tokens"].rpartition("/")
        return f"{number.strip()} tokens/{time}{_after(' peak ', texts, 'peak-hour')}"
    if "concurrency" in texts:
        return f"{texts['concurrency']} clients{_after(' think ', texts, 'think')}"
    return "as recorded"


def _read_lengths(text: str, phrase: Phrase) -> dict[str, str]:
    if found := _HIT.fullmatch(text):
        return {**_read_lengths(found["rest"], phrase), HIT: found["hit"]}
    _, *parts = _PERCENTILES.split(text)
    if not parts or not _PERCENTILES.match(text):
        return {"workload": text}
    said = {name.lower(): points for name, _, points in (part.strip().partition(" ") for part in parts)}
    if len(said) < len(parts):
        raise phrase.refusal("one of the two is said twice", text)
    if len(said) < len(("prompt", "output")):
        raise phrase.refusal("the percentiles of prompt and output go together", text)
    return said


def _write_lengths(texts: Texts) -> str:
    own = [texts["workload"]] if "workload" in texts else []
    lengths = own or [f"{name} {texts[name]}" for name in ("prompt", "output") if name in texts]
    hit = texts.get(HIT, BY_NAME[HIT].default)
    return " ".join([*lengths, *([f"hit {hit}"] if lengths and hit != BY_NAME[HIT].default else [])])


def _read_model(text: str, phrase: Phrase) -> dict[str, str]:
    said: dict[str, str] = {}
    rest = f" {text}"
    while found := next(filter(None, (one.fullmatch(rest) for one in (_TP, _PP, _CACHE, _SPREAD, _DTYPE))), None):
        (group, value), *_ = ((group, value) for group, value in found.groupdict().items() if group != "rest")
        name = group.replace("_", "-")
        if name in said:
            raise phrase.refusal(f"{name} is said twice", text)
        said[name] = "true" if name == SPREAD else ",".join(re.split(r"[\s,]+", value.strip(" ,")))
        rest = found["rest"].rstrip()
    model = rest.strip()
    if not model or (" " in model and not is_path(model, MODEL_FILE)):
        refused = phrase.refusal("this is no model" if model else "the model is missing", text)
        near = difflib.get_close_matches(model.lower(), catalog.model_names(), n=3)
        raise refused.advising(f"{NEAR} {', '.join(near)}?") if near else refused
    return {"model": model, **{name: value for name, value in said.items() if (name, value) != ("kv-dtype", OWN)}}


def _write_model(texts: Texts) -> str:
    parts = (
        texts.get("model", BY_NAME["model"].default),
        texts.get("dtype"),
        f"kv {texts['kv-dtype']}" if texts.get("kv-dtype", OWN) != OWN else None,
        f"tp {texts['tp']}" if "tp" in texts else None,
        f"pp {texts['pp']}" if texts.get("pp", BY_NAME["pp"].default) != BY_NAME["pp"].default else None,
        "ep" if texts.get(SPREAD) == "true" else None,
    )
    return " ".join(filter(None, parts))


def _read_gpus(text: str, phrase: Phrase) -> dict[str, str]:
    named, _, rest = f" {text} ".partition(STOCK)
    gpus: list[str] = []
    stock: list[str] = []
    for part, names in ((named, gpus), (rest, [])):
        for word in filter(None, re.split(r"[\s,+]+", _COUNTED.sub(r"\g<gpu>=\g<count>", part))):
            name, sign, count = word.partition("=")
            if re.search(r"[$:@]", word) or (sign and not count.isdecimal()):
                raise phrase.refusal("a price is no part of this line: the key price sets it", text)
            names.append(name)
            stock += [word] if sign else []
    if rest.strip() and not stock:
        raise phrase.refusal("the stock is a number of each GPU", text)
    kept = [] if [name.lower() for name in gpus] == ["any"] else gpus
    if "any" in map(str.lower, kept):
        raise phrase.refusal("any stands alone, before a stock", text)
    return {name: ",".join(words) for name, words in (("gpu", kept), ("max-gpus", stock)) if words}


def _write_gpus(texts: Texts) -> str:
    gpus, stock = texts.get("gpu", ""), texts.get("max-gpus", "")
    counts = dict(pair.strip().split("=", 1) for pair in stock.split(",")) if stock else {}
    names = [name.strip() for name in gpus.split(",")] if gpus else []
    if counts.keys() <= set(names):
        return ",".join(f"{name}={counts[name]}" if name in counts else name for name in names) or "any"
    return f"{gpus or 'any'}{STOCK}{stock}"


def _read_slo(text: str, phrase: Phrase) -> dict[str, str]:
    if _ALONE.fullmatch(text):
        return {"slo-ttft": text}
    further = ",".join(f"{found['latency']}={found['time']}" for found in _FURTHER.finditer(text))
    rest = _FURTHER.sub(" ", text)
    said = {"limit": further} if further else {}
    for pattern in (_LIMIT, _RANK):
        for found in pattern.finditer(rest):
            name = f"slo-{found['metric'].lower()}" if pattern is _LIMIT else "percentile"
            if name in said:
                raise phrase.refusal(f"{name} is said twice", text)
            said[name] = found["time"] if pattern is _LIMIT else _rank_read(found[0])
        rest = pattern.sub(" ", rest)
    if rest.strip(" ,;"):
        raise phrase.refusal("this is no list of limits", text)
    if not said.keys() - {"percentile"}:
        raise phrase.refusal("no limit is given", text)
    return said


def _write_slo(texts: Texts) -> str:
    parts = [f"{one.label} {texts[f'slo-{one.name}']}" for one in ALWAYS if f"slo-{one.name}" in texts]
    parts += [_rank_written(texts["percentile"])] if "percentile" in texts else []
    return " ".join([*parts, *texts.get("limit", "").split(",")]).rstrip()


def _rank_read(text: str) -> str:
    """Return a percentile with its P as the key has it: without, where that says the same."""
    form = BY_NAME["percentile"].form
    return form.write(form.read(text, "SLO, percentile"))


def _rank_written(text: str) -> str:
    """Return a percentile with its P; without one, a number below 1 is a share.

    >>> _rank_written("99.9"), _rank_written("0.5"), _rank_written("p95")
    ('P99.9', 'P50', 'P95')
    """
    plain = text.strip().lower()
    if plain.startswith("p") or plain.endswith("%") or Decimal(plain) >= 1:
        return f"P{plain.removeprefix('p')}"
    return f"P{(Decimal(plain) * 100).normalize():f}"


def _said(**texts: str | None) -> dict[str, str]:
    return {name.replace("_", "-"): text.strip() for name, text in texts.items() if text is not None}


def _after(words: str, texts: Texts, name: str) -> str:
    return words + texts[name] if name in texts else ""


PHRASES: tuple[Phrase, ...] = (
    Phrase(
        name="demand",
        label="demand",
        accepted="100/s, 80:120/s, 20000 users x 6/h x 2.5, 3e9 tokens/day peak 9%, 400 clients think 20s, as recorded",
        keys=("rate", "users", "requests-per-user", "peak-factor", "tokens", "peak-hour", "concurrency", "think"),
        reader=_read_demand,
        writer=_write_demand,
    ),
    Phrase(
        name="lengths",
        label="lengths",
        accepted="azure-2023-conv, a file, or prompt p50=900,p99=8k output p50=200,p99=1.5k; then hit 55% if cached",
        keys=("workload", "prompt", "output", HIT),
        reader=_read_lengths,
        writer=_write_lengths,
    ),
    Phrase(
        name="model",
        label="model",
        accepted=f"llama-3.1-70b, with {' or '.join(DTYPE_CHOICES)}, kv, tp, pp, ep: llama-3.1-70b fp8 kv fp8 tp 4,8",
        keys=("model", "dtype", "kv-dtype", "tp", "pp", SPREAD),
        reader=_read_model,
        writer=_write_model,
    ),
    Phrase(
        name="gpus",
        label="GPUs",
        accepted="any (the usual ones), all (every known), h100,a100, ./mine.toml; stock: 64 h100 + 8 a100, h100=64",
        keys=("gpu", "max-gpus"),
        reader=_read_gpus,
        writer=_write_gpus,
    ),
    Phrase(
        name="slo",
        label="SLO",
        accepted="TTFT 500ms TPOT 50ms E2E 30s P99 ttft.p50=200ms, one limit at least; a time alone is TTFT",
        keys=(*(f"slo-{one.name}" for one in ALWAYS), "percentile", "limit"),
        reader=_read_slo,
        writer=_write_slo,
    ),
)
EXAMPLES: dict[str, str] = {phrase.name: phrase.accepted for phrase in PHRASES}
"""What may be typed in each line, by its name."""
