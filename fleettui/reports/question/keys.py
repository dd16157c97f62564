"""The parts of a question by name: one table that the options, the question file, the settings and the app read.

Keys stand in groups, in the order of a question file; a new key is a line in its group, and a field in the domain.
"""

from __future__ import annotations

from functools import partial

from fleettui.domain.dtype import CACHE_DTYPES
from fleettui.domain.engine_settings import PROMPT_STEPS, SEARCHED
from fleettui.domain.hardware import STEP_LAWS, TUNINGS
from fleettui.domain.limit import METRICS
from fleettui.domain.scenario import DTYPE_CHOICES, MOST_POOLS, OBJECTIVES, PRESETS
from fleettui.errors import UnknownNameError
from fleettui.reports.question.bound_keys import BOUND_KEYS
from fleettui.reports.question.compressible import COMPRESSIBLE
from fleettui.reports.question.engine_form import ENGINE
from fleettui.reports.question.failure_keys import FAILURE_KEYS
from fleettui.reports.question.key import Group, Key
from fleettui.reports.question.meter_keys import METER, POWER_LIMITS
from fleettui.reports.question.price_keys import PRICE_KEYS
from fleettui.reports.question.replica_keys import REPLICA_KEYS
from fleettui.reports.question.request_keys import REQUEST_KEYS
from fleettui.reports.question.text_forms import (
    CORE_PRICE,
    COUNT,
    DURATION,
    ENGINE_TIME,
    FACTOR,
    FIT,
    FLAG,
    GAMMA,
    GPU,
    MODEL,
    MONEY_RATE,
    PERCENTILE,
    PERCENTILES,
    RATE,
    SEED,
    SHARE,
    TEXT,
    TIME,
    TOKEN_RATE,
    WHOLE_TOKENS,
    WORKLOAD_TEXT,
    Form,
    choice,
    latency_name,
    list_of,
    member,
    numbers,
    optional,
    or_word,
    pairs,
)
from fleettui.routing import ROUTERS
from fleettui.scheduling import SCHEDULERS
from fleettui.workloads.arrivals import ARRIVALS, asked

OWN = "engine"  # the word for a setting that is left to it

ARRIVAL = Form(lambda text, where: asked(text, where).text, str, words=ARRIVALS.help)
"""An arrival process, with its parameter."""

_Fixed = partial(Key, is_swept=False)
_Given = partial(Key, of_given=True)
_Traffic = partial(Key, of_given=True, is_swept=False)
_Setting = partial(Key, is_setting=True)
_Limit = partial(_Setting, of_given=True)
_Rate, _Users, _Tokens, _Clients = (
    partial(Key, demand=form, of_given=True) for form in ("rate", "users", "tokens", "concurrency")
)


_LENGTHS = Group(
    "What arrives: a workload, or prompt and output by percentile.",
    (
        _Traffic(
            "workload",
            WORKLOAD_TEXT,
            "azure-2023-conv",
            "a shipped name (fleettui workload list), a length distribution, or a trace",
        ),
        _Traffic(
            "prompt", PERCENTILES, "p50=900,p99=8k", "prompt tokens by percentile, without a workload; with --output"
        ),
        _Traffic(
            "output", PERCENTILES, "p50=200,p99=1.5k", "output tokens by percentile, without a workload; with --prompt"
        ),
        _Traffic("output-share", SHARE, "20%", "share of output in a workload that knows only total tokens"),
        *REQUEST_KEYS,
        _Traffic("drop-longer", FLAG, "true", "leave out, and count, requests longer than the context"),
    ),
)
_DEMAND = Group(
    "How much of it: one of rate, users, tokens, concurrency; none takes the trace's own rate.",
    (
        _Rate("rate", RATE, "100/s", "requests per unit of time; the trace's own rate if no demand is given"),
        _Users("users", COUNT, "20000", "how many users there are; with --requests-per-user"),
        _Users("requests-per-user", RATE, "6/h", "requests that one user sends, on average"),
        _Users("peak-factor", FACTOR, "2.5", "the busiest hour over the average"),
        _Tokens("tokens", TOKEN_RATE, "3e9/day", "tokens per day, prompt and output together"),
        _Tokens("peak-hour", SHARE, "9%", "share of the day's tokens that falls into its busiest hour"),
        _Clients("concurrency", COUNT, "400", "clients that each send the next request when the last is answered"),
        _Clients("think", TIME, "20s", "pause of such a client between two requests"),
    ),
)
_LIMITED = Group(
    "What must hold, in every pool, at the percentile; at least one limit.",
    (
        _Limit(
            "slo-ttft",
            DURATION,
            "500ms",
            "longest time to first token; a plan needs one SLO at least",
            fills="slo.ttft",
        ),
        _Limit("slo-tpot", DURATION, "50ms", "longest time per output token after the first", fills="slo.tpot"),
        _Limit("slo-e2e", DURATION, "30s", "longest time to the last token", fills="slo.e2e"),
        _Limit(
            "percentile",
            PERCENTILE,
            "99",
            "share of a pool's requests that must keep each SLO, taken by itself",
            fills="slo.percentile",
        ),
        _Limit(
            "limit",
            pairs(DURATION, "times by latency and percentile: ttft.p50=200ms,e2e.p95=20s", latency_name, METRICS.help),
            "ttft.p50=200ms",
            "limits at their own percentile, or of class batch: batch.ttft=60s",
            fills="slo.further",
        ),
    ),
)
_MODELS = Group(
    "What is served.",
    (
        _Setting("model", MODEL, "llama-3.1-70b", "a model's name (fleettui model list) or its config.json"),
        _Setting(
            "dtype",
            choice(DTYPE_CHOICES),
            "fp8",
            "number format of the weights; unsaid as published; auto: each pool's best",
        ),
        _Setting(
            "kv-dtype",
            optional(choice(CACHE_DTYPES), OWN),
            "fp8",
            "number format of the KV cache: bf16 or fp8; default the engine's own",
        ),
        _Setting(
            "engine",
            ENGINE,
            "vllm",
            "the serving engine: its overhead, and its settings on each GPU",
            of_given=True,
        ),
        _Setting("tuning", choice(TUNINGS), "tuned", "how the engine is set: stock, tuned or benchmark", of_given=True),
        _Setting(
            "step-law",
            choice(STEP_LAWS),
            "roofline",
            "what a step takes: measured kernels, or the roofline of the datasheet",
            of_given=True,
            now="kernels",
        ),
        Key(
            "engine-overhead",
            ENGINE_TIME,
            "3ms",
            "time the engine adds to a step, 1 to 5 ms as measured; default the engine's own",
            of_given=True,
        ),
        _Given(
            "front-end", ENGINE_TIME, "24ms", "time that a request takes in front of the GPU; default the engine's own"
        ),
        _Given(
            "api-token", ENGINE_TIME, "90us", "time of its API process for each output token; default the engine's own"
        ),
        Key(
            "profile",
            FIT,
            "prod",
            "a fit to your own servers: it times their steps (fleettui profile fit)",
            fills="fit",
            of_given=True,
        ),
        *REPLICA_KEYS,
    ),
)
_HARDWARE = Group(
    "What it may run on.",
    (
        _Setting(
            "gpu",
            list_of(GPU, "names with commas: h100,a100, files: ./mine.toml, or all"),
            "h100,a100",
            "GPU types to choose from, or all (fleettui gpu list says which are usual)",
            fills="gpus",
        ),
        *PRICE_KEYS,
        _Setting(
            "max-gpus", pairs(COUNT, "counts by name: h100=40,a100=64"), "h100=40", "how many GPUs of a type may be had"
        ),
        Key("max-total-gpus", COUNT, "64", "how many GPUs there are of all types together"),
        Key("whole-nodes", FLAG, "true", "pay for whole nodes of each GPU type"),
        _Setting("budget", MONEY_RATE, "60/h", "US dollars that the fleet may cost"),
        *POWER_LIMITS,
    ),
)
_FLEET = Group(
    "How the fleet may look.",
    (
        Key("objective", choice(OBJECTIVES), "power", "what the answer has least of; ttft looks among the cheapest"),
        Key("pools", numbers(range(1, MOST_POOLS + 1)), "1,2,3", "how many pools to try"),
        Key(
            "split",
            list_of(WHOLE_TOKENS, "tokens with commas: 2048,4096"),
            "4096",
            "total tokens at which pools may divide; searched if none is given",
            fills="splits",
        ),
        Key("gamma", GAMMA, "1.0:2.0", "compress requests of up to gamma splits to fit below; a range is searched"),
        Key("compressible", COMPRESSIBLE, "75%", "share of them that can be; or a study, which measured it"),
        Key("core-price", CORE_PRICE, "0.04/h", "US dollars for a core for an hour: counts the compressor's, measured"),
        Key("router", or_word(member(ROUTERS), SEARCHED), ROUTERS.default.name, "how requests find a pool; or auto"),
        Key("router-refresh", DURATION, "50ms", "how often the router looks at the loads; always if unsaid"),
        _Given("length-error", SHARE, "40%", "how far off (CV) the router guesses outputs; it knows them if unsaid"),
        _Setting(
            "admission",
            or_word(member(SCHEDULERS), SEARCHED),
            SCHEDULERS.default.name,
            "who joins a batch next; or auto",
            also="scheduler",
        ),
        _Setting(
            "max-num-seqs",
            optional(COUNT, OWN),
            "256",
            "most sequences that a replica runs at once; default the engine's own",
        ),
        _Setting(
            "token-budget",
            or_word(optional(WHOLE_TOKENS, OWN), SEARCHED),
            "8192",
            "most tokens that one step processes, auto to search; default the engine's own",
        ),
        _Setting(
            "prompt-steps",
            optional(choice(PROMPT_STEPS), OWN),
            "alone",
            "prompts run among decodes, cut (mixed) or whole, or alone; default the engine's",
        ),
        Key(
            "context",
            optional(WHOLE_TOKENS, "auto"),
            "32Ki",
            "longest request served; auto is the workload's longest, rounded up to 256",
        ),
    ),
)
_MARGIN = Group(
    "How far from the edge.",
    (
        _Setting("max-utilization", SHARE, "85%", "how busy a pool may be", of_given=True),
        _Setting("headroom", SHARE, "10%", "share of every SLO that must be left", of_given=True),
        *FAILURE_KEYS,
        *BOUND_KEYS,
        Key("confidence", SHARE, "90%", "how sure to be of the size, over what step times and typed ranges may be"),
        _Traffic("arrivals", ARRIVAL, ARRIVALS.default.name, "how requests arrive"),
    ),
)
_RUN = Group(
    "The run.",
    (
        _Fixed(
            "preset",
            choice(PRESETS),
            "recommended",
            "our physics (recommended) or the papers' (paper)",
            is_setting=True,
        ),
        _Fixed(
            "verify",
            FLAG,
            "false",
            "prove the answer by simulation, or plan by formula only",
            is_setting=True,
            is_input=False,
        ),
        _Fixed(
            "precision",
            SHARE,
            "2%",
            "simulate until each pool's P99 TTFT is known to +- this share of it",
            is_setting=True,
            of_given=True,
            of_proof=True,
        ),
        _Fixed("seed", SEED, "1", "root of all draws", is_setting=True, of_given=True, of_proof=True),
        _Fixed("name", TEXT, "spring sizing", "a name to find the plan by", of_given=True, is_input=False),
    ),
)

GROUPS = (_LENGTHS, _DEMAND, _LIMITED, _MODELS, _HARDWARE, METER, _FLEET, _MARGIN, _RUN)
"""The groups in the order of a question file."""
DEMAND_FORMS: tuple[str, ...] = tuple(dict.fromkeys(key.demand for key in _DEMAND.keys))
WORKLOAD: Key = _LENGTHS.keys[0]
"""The command's argument; all others are options."""
KEYS: tuple[Key, ...] = (*_DEMAND.keys, *_LENGTHS.keys[1:], *(key for group in GROUPS[2:] for key in group.keys))
"""Every key that is an option, in the order of the help."""
LIMITS = tuple(key.name for key in _LIMITED.keys if key.form is not PERCENTILE)
"""The keys that are limits, of which a plan needs one."""


def _registered(keys: tuple[Key, ...]) -> dict[str, Key]:
    for said in ([key.name for key in keys], [key.field for key in keys]):
        assert len(set(said)) == len(said), f"two keys share a name or a field: {said}"
    return {key.name: key for key in keys}


BY_NAME: dict[str, Key] = _registered((WORKLOAD, *KEYS))
ALSO = {key.also: key.name for key in KEYS if key.also}
FIXED_FLEET_KEYS: tuple[Key, ...] = tuple(key for key in KEYS if key.of_given)
"""The keys that are left of a question when the fleet is given."""
_POOLS = "model dtype kv-dtype expert-parallel attention-dp speculative max-num-seqs token-budget prompt-steps"
LEFT_KEYS: tuple[Key, ...] = tuple(map(BY_NAME.__getitem__, f"{_POOLS} router router-refresh admission".split()))
"""The keys that a fleet's file may say of its pools or of itself, and else leaves to the question."""
GIVEN_FLEET_KEYS = (*LEFT_KEYS, *FIXED_FLEET_KEYS)
"""The options of a command that takes a fleet's file."""
SIMULATED_KEYS = (*GIVEN_FLEET_KEYS, BY_NAME["preset"])
"""Those of `simulate`, which has the papers' fixed service times, too."""
OF_GIVEN = frozenset({WORKLOAD.name, "model", *(key.name for key in FIXED_FLEET_KEYS)})
"""The names of the keys that say something of a fleet that is given."""


def key_named(name: str, where: str | None = None, listing: str = "fleettui plan --write-question") -> Key:
    """Return the key called `name`, with - or _; raises UnknownNameError with the nearest, and what lists them all."""
    said = name.strip().replace("_", "-")
    wanted = ALSO.get(said, said)
    if wanted not in BY_NAME:
        raise UnknownNameError("key", name, BY_NAME, where=where, listing=listing)
    return BY_NAME[wanted]


def group_of(key: Key) -> Group:
    """Return the group that a key belongs to."""
    return next(group for group in GROUPS if key in group.keys)
