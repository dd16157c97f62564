"""A run as a file states it, checked and made a measured point."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from fleettui.domain.dtype import CACHE_DTYPES, DTYPES, CacheDtype, Dtype
from fleettui.domain.hardware import Gpu, Model
from fleettui.domain.validation import MeasuredPoint, Protocol, Setup
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import NVIDIA
from fleettui.hardware.measured.base import Run, Times
from fleettui.hardware.measured.load_checks import check_clients, check_failed, check_rate

MEAN_OF_UNIFORM = 0.9
"""Mean of lengths drawn from 0.8 to 1 of those stated."""
ENGINES = {"tensorrt-llm": "trtllm", "trt-llm": "trtllm", "trt": "trtllm", "tensorrtllm": "trtllm"}
FP4 = "fp4"
ATTENTION_DP = "attention_dp"
NONE_AT_ALL = ("", "0", "1", "1.0", "false", "none", "no", "off")
FORMATS_OF_NAMES: Mapping[str, str] = {
    "fp8": "fp8",
    "fp4": FP4,
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "bf16": "bf16",
    "awq": "int4",
    "gptq": "int4",
    "w4a16": "int4",
    "int4": "int4",
    "int8": "int8",
}
"""Words of a published model's name that say how its weights are held, and that format."""
OTHER_WORDS = re.compile(r"hf|instruct|chat|it|base|thinking|dynamic|kv|block|preview|v\d(\.\d)?|\d{4}|\d+e|17b")
"""Words of a published model's name that say neither its shape nor its format: what it was taught, when, by whom."""
MAKERS_WORD = "meta-"
LONGEST_TPOT, LONGEST_TTFT = 2.0, 3600.0
"""Seconds beyond which mean times are in another unit: two milliseconds that are taken for seconds are that already."""


def point(run: Run, setup: Setup) -> MeasuredPoint:
    """Return `run` as a point; raises InputError with what is wrong and the value seen, without a place."""
    for name, value in run.beyond.items():
        if name != ATTENTION_DP and _is_said(value):
            raise InputError(f"{name} is not modelled", value=value)
    share = MEAN_OF_UNIFORM if run.uniform else 1.0
    prompt = _length("prompt tokens", run.prompt_tokens, share, least=1)
    output = _length("output tokens", run.output_tokens, share, least=2)
    ttft, tpot = _time("TTFT", run.ttft, LONGEST_TTFT), _time("TPOT", run.tpot, LONGEST_TPOT)
    requests, rate = _optional("requests", run.requests), _rate(run)
    check_failed(requests, number(run.failed) or 0.0)
    clients = _clients(run, rate, ttft + (output - 1) * tpot)
    model, gpu = _named("model", run.model, setup.model), _named("GPU", run.gpu, setup.gpu)
    engine = _engine(run, setup.engine)
    tp = _tp(run.tp, setup.tp)
    lanes = run.beyond.get(ATTENTION_DP)
    if tp == 1 and _is_said(lanes):  # vLLM counts the GPUs of a head, others those of a replica
        tp = _count(ATTENTION_DP, lanes)
    found = MeasuredPoint(
        line=run.line,
        model=model,
        gpu=gpu,
        dtype=_dtype(run, setup.dtype, catalog.model(model), catalog.gpu(gpu)),
        engine=engine,
        tp=tp,
        prompt_tokens=prompt,
        output_tokens=output,
        concurrency=clients,
        ttft=ttft,
        tpot=tpot,
        protocol=_protocol(run, rate),
        uniform=run.uniform,
        exact=run.exact,
        request_rate=rate,
        requests=None if requests is None else round(requests),
        output_throughput=_optional("output throughput", run.output_throughput),
        ttft_median=_statistic(run.ttft.median, run.ttft.unit),
        ttft_p99=_statistic(run.ttft.p99, run.ttft.unit),
        tpot_median=_statistic(run.tpot.median, run.tpot.unit),
        tpot_p99=_statistic(run.tpot.p99, run.tpot.unit),
        kv_dtype=_kv_dtype(run.kv_dtype, setup.kv_dtype or _own_cache(model, engine)),
        expert_parallel=_spread("ep", run.ep, tp),
        attention_dp=_spread(ATTENTION_DP, lanes, tp),
    )
    _check_load(run, found)
    return found


def model_name(name: str) -> str:
    """Return the catalogue's form of a Hugging Face name.

    >>> model_name("meta-llama/Llama-3.1-8B-Instruct")
    'llama-3.1-8b'
    >>> model_name("meta-llama/Llama-2-70b-hf"), model_name("nvidia/DeepSeek-R1-0528-FP4-v2")
    ('llama-2-70b', 'deepseek-r1')
    >>> model_name("RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic"), model_name("acme/anvil-9b-fp8")
    ('llama-3.1-70b', 'anvil-9b-fp8')
    """
    whole = name.rpartition("/")[2].lower()
    words, known = whole.removeprefix(MAKERS_WORD).split("-"), catalog.names("models")
    while len(words) > 1 and "-".join(words) not in known and _says_no_shape(words[-1]):
        words.pop()
    found = "-".join(words)
    return found if found in known else whole


def format_named(name: object) -> str:
    """Return how a published model's name says that its weights are held, empty where it does not.

    >>> format_named("nvidia/Llama-3.1-8B-Instruct-FP8"), format_named("amd/DeepSeek-R1-0528-MXFP4-Preview")
    ('fp8', 'mxfp4')
    >>> format_named("openai/gpt-oss-120b")
    ''
    """
    words = _said(name).rpartition("/")[2].lower().split("-")
    return next((FORMATS_OF_NAMES[word] for word in reversed(words) if word in FORMATS_OF_NAMES), "")


def _says_no_shape(word: str) -> bool:
    return word in FORMATS_OF_NAMES or OTHER_WORDS.fullmatch(word) is not None


def gpu_name(name: str) -> str:
    """Return the catalogue's form of a GPU's name: what stands before the runner's or the module's.

    >>> gpu_name("H100_SXM"), gpu_name("h200-nb_1"), gpu_name("a100-pcie")
    ('h100', 'h200', 'a100-pcie')
    """
    word = name.strip().lower()
    if word in catalog.names("gpus"):
        return word
    return word.replace("_", "-").partition("-")[0]


def engine_name(name: str) -> str:
    """Return the catalogue's form of an engine's name.

    >>> engine_name("TensorRT-LLM"), engine_name("vllm")
    ('trtllm', 'vllm')
    """
    return ENGINES.get(name.lower(), name.lower())


FORMS: Mapping[str, Callable[[str], str]] = {"model": model_name, "GPU": gpu_name, "engine": engine_name}


def number(value: object) -> float | None:
    """Return a finite number that a file states as one or as text, None otherwise.

    >>> number("1.5"), number("nan"), number(True)
    (1.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _said(value: object) -> str:
    return "" if value is None else str(value).strip()


def _named(kind: str, value: object, given: str | None) -> str:
    """Return the catalogue's name of what the file says, else of what the user says.

    Raises InputError where the two are different ones of the catalogue: the run is of no server that is asked about.
    """
    text = _said(value)
    known = catalog.names(f"{kind.lower()}s")
    name = FORMS[kind](text)
    if name in known:
        if given is not None and _meant(given) != _meant(name):
            raise InputError(f"of another {kind} than --{kind.lower()}", value=name)
        return name
    if given is not None:
        return given
    if not text:
        raise InputError(f"no {kind} is said: give --{kind.lower()}")
    raise InputError(f"unknown {kind}", value=text)


def _engine(run: Run, given: str | None) -> str:
    """Return the engine of a run, an earlier version of it where the file says one, or the user."""
    known, version = catalog.engine_names(), _said(run.version)
    name = _named("engine", run.engine, catalog.engine(given).family if given and given in known else given)
    found = catalog.engine_of_version(name, version) if name in known else name
    if given is None or given == name:
        return found
    if version and found != given:
        raise InputError(f"of another engine than --engine: {found} {version}", value=name)
    return given


def _meant(name: str) -> str:
    """Return the name that an alias of a model stands for, any other name as it is."""
    return catalog.model_aliases().get(name, name)


def _dtype(run: Run, given: Dtype | None, model: Model, gpu: Gpu) -> Dtype:
    """Return the precision that a run says, else the one that is given, else its model's name, else the published.

    fp4 is the published format of four bits, else that of the GPU's maker.
    """
    text = (_said(run.dtype) or given or format_named(run.model)).lower().replace("_", "-")
    for dtype in DTYPES:
        if text == dtype:
            return dtype
    if text == FP4:
        return "mxfp4" if model.native_dtype == "mxfp4" or gpu.vendor != NVIDIA else "nvfp4"
    if given is not None or not text:
        return given or model.native_dtype
    raise InputError("unknown precision", value=text)


def _kv_dtype(value: object, given: CacheDtype) -> CacheDtype:
    text = _said(value).lower()
    for dtype in CACHE_DTYPES:
        if text == dtype:
            return dtype
    if text in ("", "auto"):
        return given
    raise InputError("unknown precision of the cache", value=text)


def _own_cache(model: str, engine: str) -> CacheDtype:
    return catalog.model(model).native_cache or catalog.engine(engine).kv_dtype


def _spread(what: str, value: object, tp: int) -> bool:
    """Return whether experts, or sequences, are spread over a replica's GPUs; raises InputError for another number."""
    if not _is_said(value):
        return False
    if number(value) != tp:
        raise InputError(f"{what} is modelled where it is 1 or tp, {tp}", value=value)
    return True


def _is_said(value: object) -> bool:
    return _said(value).lower() not in NONE_AT_ALL


def _tp(value: object, given: int | None) -> int:
    if _said(value) == "" and given is not None:
        return given
    if _said(value) == "":
        raise InputError("no tensor parallelism is said: give --tp")
    return _count("tp", value)


def _count(what: str, value: object, least: int = 1) -> int:
    found = number(value)
    if found is None or found < least or found != round(found):
        raise InputError(f"{what} is no usable count", value=value)
    return round(found)


def _length(what: str, value: object, share: float, least: int) -> int:
    found = number(value)
    if found is None or found < least:
        raise InputError(f"{what} is no usable length", value=value)
    return max(least, round(share * found))


def _time(what: str, times: Times, longest: float) -> float:
    found = number(times.mean)
    if found is None or found <= 0:
        raise InputError(f"{what} is no time", value=times.mean)
    if found * times.unit > longest:
        raise InputError(f"{what} of {found * times.unit:.4g} s is no server's: it may be in another unit")
    return found * times.unit


def _statistic(value: object, unit: float) -> float | None:
    found = number(value)
    return None if found is None or found <= 0 else found * unit


def _optional(what: str, value: object) -> float | None:
    """Return a number above zero, None where nothing is said."""
    if _said(value) == "":
        return None
    found = number(value)
    if found is None or found <= 0:
        raise InputError(f"{what} is no usable number", value=value)
    return found


def _rate(run: Run) -> float | None:
    """Return the requests a second that were asked for, None for as fast as can be."""
    if _said(run.rate).lower() in ("", "inf", "infinity"):
        return None
    return _optional("request rate", run.rate)


def _check_load(run: Run, point: MeasuredPoint) -> None:
    """Refuse a run whose own figures say that its load was another than it states."""
    latency, duration, requests = point.latency, _optional("duration", run.duration), point.requests
    if point.request_rate is not None:
        sent = number(run.sent_rate)
        if sent is None and duration is not None and requests is not None and duration > latency:
            sent = requests / (duration - latency)
        check_rate(point.request_rate, sent)
        return
    ended = None if point.output_throughput is None else point.output_throughput / point.output_tokens
    if duration is not None and requests is not None:
        ended = requests / duration
    check_clients(point.concurrency, requests=requests, ended=ended, latency=latency)


def _clients(run: Run, rate: float | None, latency: float) -> int:
    if rate is not None:
        return max(1, round(rate * latency))
    if _said(run.concurrency) == "":
        raise InputError("neither clients nor a request rate are said: no steady load")
    return _count("concurrency", run.concurrency)


def _protocol(run: Run, rate: float | None) -> Protocol:
    return "open" if rate is not None else run.protocol or "start"
