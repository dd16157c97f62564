"""What the palette's prompts accept: a word, the path of a file that is there, several of them, one replica."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from fleettui.domain.dtype import CacheDtype, Dtype
from fleettui.domain.fleet import Pool
from fleettui.domain.scenario import EVERY_GPU
from fleettui.domain.validation import Setup
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.planning import workloads
from fleettui.reports.question import five_lines
from fleettui.reports.question.key import Key
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.question.run_setup import WORDS, read_setup
from fleettui.reports.question.text_forms import DTYPE, GPU, PP, TP, TPS
from fleettui.tui.question_draft import Draft
from fleettui.user_paths import path_of

REPLICA = "h100 llama-3.1-70b fp8 tp 4"
"""A replica as it is typed."""
MEASURED = "bench.json gpu=h100 tp=4"
"""A file of measured runs, and what it does not say, as they are typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """One replica: a model in a number format on some GPUs of a kind, the cache as the engine has it where None."""

    gpu: str
    model: str
    dtype: Dtype
    kv_dtype: CacheDtype | None
    tp: int
    expert_parallel: bool = False
    pp: int = 1


def needed(text: str) -> str:
    """Return `text` without blanks around it; raises InputError for an empty one."""
    if not text.strip():
        raise InputError("a word is needed here")
    return text.strip()


def existing(text: str) -> str:
    """Return the path of a file that is there; raises InputError for any other."""
    path = path_of(needed(text))
    if not path.is_file():
        raise InputError("there is no such file", value=str(path))
    return str(path)


def several(text: str) -> list[str]:
    """Return the paths of files that are there, typed with blanks between; raises InputError.

    A path that has blanks stands in quotes.
    """
    return [existing(word) for word in _words(text, 'a.csv "b c.csv"')]


def _words(text: str, accepted: str) -> list[str]:
    try:
        return shlex.split(needed(text))
    except ValueError as error:
        raise InputError(f"these are no paths: {error}", value=text, accepted=accepted) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFiles:
    """Files of measured runs, and what is said of their server where they say nothing."""

    paths: tuple[str, ...]
    setup: Setup
    name: str | None


def read_measured(text: str) -> MeasuredFiles:
    """Return the files that `text` names and what `gpu=h100` and the like, or `name=`, say; raises InputError."""
    said: dict[str, str] = {}
    paths: list[str] = []
    for word in _words(text, MEASURED):
        key, sign, value = word.partition("=")
        if sign and key in (*WORDS, "name"):
            said[key] = value
        else:
            paths.append(existing(word))
    name = said.pop("name", None)
    if not paths:
        raise InputError("no file is named", value=text, accepted=MEASURED)
    return MeasuredFiles(paths=tuple(paths), setup=read_setup(said), name=name)


def read_replica(text: str) -> Replica:
    """Return the replica that `text` says: a GPU, a model, then its number format and tp where they are not usual.

    >>> read_replica("h100 qwen3-32b fp8 tp 4")
    Replica(gpu='h100', model='qwen3-32b', dtype='fp8', kv_dtype=None, tp=4, expert_parallel=False, pp=1)
    """
    gpu, _, rest = needed(text).partition(" ")
    said = five_lines.read("model", rest)
    known = catalog.gpu(GPU.read(gpu, "GPU"))
    model = catalog.model(said["model"])
    kv_dtype = BY_NAME["kv-dtype"]
    return Replica(
        gpu=known.name if known.name in catalog.gpu_names() else gpu,
        model=said["model"],
        dtype=DTYPE.read(said["dtype"] or model.native_dtype, "dtype"),
        kv_dtype=kv_dtype.read(said["kv-dtype"] or kv_dtype.default, "kv"),
        tp=TP.read(said["tp"] or TPS[0], "tp"),
        expert_parallel=bool(said[five_lines.SPREAD]),
        pp=PP.read(said["pp"] or TPS[0], "pp"),
    )


def write_replica(draft: Draft, pool: Pool | None = None) -> str:
    """Return a replica as it is typed: that of a pool of the catalogue's parts, else of the question's model.

    That is on its first GPU, with its only or first tp.
    """
    if pool is not None and pool.gpu in catalog.gpu_names() and pool.model in catalog.model_names():
        cache = "" if pool.kv_dtype == catalog.published_cache(pool.model) else pool.kv_dtype
        held, division = f"{pool.model} {pool.dtype}", _division(str(pool.tp), str(pool.pp))
        return _written(pool.gpu, held, cache, division, spread=pool.expert_parallel)
    gpu = draft.value("gpu").split(",")[0] or REPLICA.split(maxsplit=1)[0]
    tp = draft.value("tp").split(",")[0]
    return _written(
        gpu,
        f"{draft.value('model')} {draft.value('dtype')}",
        draft.texts.get("kv-dtype", ""),
        _division(tp if tp in TPS else TPS[-1], draft.value("pp").split(",")[0]),
        spread=draft.value(five_lines.SPREAD) == "true",
    )


def _division(tp: str, pp: str) -> str:
    return f"tp {tp}" if pp in ("", TPS[0]) else f"tp {tp} pp {pp}"


def _written(gpu: str, held: str, cache: str, division: str, *, spread: bool) -> str:
    kept = f" kv {cache}" if cache else ""
    return f"{gpu} {held}{kept} {division}{' ep' if spread else ''}"


def check(key: Key, text: str) -> None:
    """Raise InputError for a key's text that does not read, or names nothing known; an empty one is its default."""
    if text:
        key.read(text, key.name)
    check_known({key.name: text})


def check_known(texts: Mapping[str, str]) -> None:
    """Raise InputError for a GPU, a model or a workload among the texts of a question that is none."""
    for name in filter(None, (name.strip() for name in texts.get("gpu", "").split(","))):
        if name != EVERY_GPU:
            catalog.gpu(name)
    if model := texts.get("model", "").strip():
        catalog.model(model)
    if (workload := texts.get("workload", "").strip()) and not workloads.is_known(workload):
        raise InputError(
            "there is no such workload or file",
            where="workload",
            value=workload,
            accepted=f"a path, or one of {', '.join(workloads.names())}",
        )
