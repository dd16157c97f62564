"""GPUs, models and profiles as text: lists to choose from, and one with its figures and their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.hardware import Citation, Gpu, Model, Profile, StepCost, StepTable
from fleettui.domain.offers import PRICE_CLASSES
from fleettui.hardware.model_config import FAMILIES
from fleettui.hardware.power_laws import power_citation, power_law, trust
from fleettui.hardware.price_list import offers
from fleettui.hardware.what_was_measured import measured_of
from fleettui.reports import error_text, units
from fleettui.reports.bars_text import bars_text
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.price_text import CLASSES
from fleettui.reports.replica_bars import Known, replica_bars, step_shares
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import details, labelled, text_page


def gpus_table(gpus: Iterable[Gpu]) -> Table:
    """Return one row per GPU: memory, bandwidth, peaks, power and price."""
    columns: tuple[Column[Gpu], ...] = (
        words("GPU", lambda gpu: gpu.name),
        figure("memory", lambda gpu: gpu.memory, units.gigabytes),
        figure("bandwidth", lambda gpu: gpu.bandwidth, units.bytes_per_second),
        figure("bf16", lambda gpu: gpu.peak_bf16, units.tera_flops),
        figure("fp8", lambda gpu: gpu.peak_fp8, units.tera_flops),
        figure("TDP", lambda gpu: gpu.thermal_design_power, units.watts),
        figure("$/h", lambda gpu: gpu.price and gpu.price.per_hour, "{:.2f}".format),
        words(
            "price",
            lambda gpu: units.UNDEFINED if gpu.price is None else gpu.price.basis or units.UNDEFINED,
            if_room=True,
        ),
        words("measured", _measured),
        words("link", lambda gpu: gpu.link, if_room=True),
    )
    known = tuple(gpus)
    note = (
        "peaks in dense TFLOP/s; prices are indicative, the median of providers, the middle of a range, a cloud's list "
        "or one provider's, --price sets yours; measured: its kernels, and runs of so many "
        "models; another GPU: --gpu PATH of a TOML file"
    )
    searched = ", ".join(gpu.name for gpu in known if gpu.searched)
    if searched:
        note += f"; without --gpu {searched} are searched, with --gpu all every one that has a price"
    return table(columns, known, note=note)


def _measured(gpu: Gpu) -> str:
    """Return what was measured of a GPU: nothing, its kernels, or those and runs of so many models."""
    found = measured_of(gpu.name)
    if not found.models:
        return "kernels" if found.engines else "-"
    return f"{len(found.models)} model{'s' * (len(found.models) > 1)}"


def gpu_text(gpu: Gpu, width: int = WIDTH) -> str:
    """Return one GPU with its price's offer and the sources of its figures."""
    pairs = [
        ("memory", _memory(gpu)),
        ("bandwidth", units.bytes_per_second(gpu.bandwidth)),
        ("bf16", _peak(gpu.peak_bf16)),
        ("fp8", _peak(gpu.peak_fp8)),
        ("int8", _peak(gpu.peak_int8)),
        ("fp4", _peak(gpu.peak_fp4)),
        ("link", f"{gpu.link}, {units.bytes_per_second(gpu.link_bandwidth)} one way, joins {gpu.joined} GPUs"),
        ("network", "" if gpu.scale_out is None else f"{units.bytes_per_second(gpu.scale_out)} one way"),
        ("node", f"{gpu.gpus_per_node} GPUs"),
        ("power", _power(gpu)),
        *_price(gpu),
        *_classes(gpu),
        *sources(_of_gpu(gpu)),
    ]
    return details(f"{gpu.name}  {gpu.vendor}", pairs, width)


def _memory(gpu: Gpu) -> str:
    usable = units.gigabytes(gpu.memory)
    return usable if gpu.memory_printed is None else f"{usable} usable, {units.gigabytes(gpu.memory_printed)} printed"


def _peak(flops: float | None) -> str:
    return "none" if flops is None else f"{units.tera_flops(flops)} TFLOP/s dense"


def _power(gpu: Gpu) -> str:
    told = [f"{units.watts(gpu.thermal_design_power)} TDP"]
    law = power_law(gpu)
    told.append(f"{units.watts(law.idle)} without work")
    if gpu.all_in_power is not None:
        told.append(f"{units.watts(gpu.all_in_power)} with its share of server, network and cooling")
    off = f"at work by what it does, {units.percent(law.error)} off on average"
    return f"{', '.join(told)}; {off}: {trust(law)} trust"


def _of_gpu(gpu: Gpu) -> tuple[Citation, ...]:
    """Return the sources of a GPU's figures, those of its law of power beside those of the papers' curve."""
    named = (replace(one, field="papers' curve") if one.field == "power" else one for one in gpu.citations)
    return (*named, power_citation(gpu))


def _price(gpu: Gpu) -> list[tuple[str, str]]:
    price = gpu.price
    if price is None:
        return [("price", f"none is known; plans need yours, in US dollars per GPU-hour: --price {gpu.name}=...")]
    offer = f"{price.purchase}, {price.provider} {price.region}, {price.date}"
    ends = "" if price.posted is None else ", posted {:.2f} to {:.2f}".format(*price.posted)
    told = f"{units.dollars_per_hour(price.per_hour)} {offer}: {CLASSES[price.basis]}{ends}"
    return [("price", told), ("offer", price.url)]


def _classes(gpu: Gpu) -> list[tuple[str, str]]:
    """Return what the price list has of a GPU, class by class: `--price-class SELLER/CLASS` pays so."""
    found = sorted(offers(), key=lambda one: PRICE_CLASSES.index(one.price_class))
    told = (
        f"{one.price_class} {units.cents_per_hour(one.per_hour)} {one.seller}, {one.date}: {one.source}"
        for one in found
        if one.gpu == gpu.name
    )
    return [("sold", one) for one in told]


def models_table(models: Iterable[Model], aliases: Mapping[str, str] | None = None) -> Table:
    """Return one row per model: parameters, shape and context; `aliases` are further names, by the model's."""
    columns: tuple[Column[Model], ...] = (
        words("model", lambda model: model.name),
        figure("parameters", lambda model: model.parameters, units.billions),
        figure("active", lambda model: model.active_parameters, units.billions),
        words("format", lambda model: model.native_dtype),
        figure("layers", lambda model: model.layers, if_room=True),
        figure("KV heads", lambda model: "latent" if model.latent_dimension else str(model.kv_heads)),
        figure("experts", lambda model: model.experts or None),
        figure("context", lambda model: model.context, units.count),
    )
    told = [f"{alias} is {name}" for alias, name in (aliases or {}).items()]
    told.append(f"another model: --model PATH of its Hugging Face config.json, of architecture {', '.join(FAMILIES)}")
    return table(columns, models, note="; ".join(told))


def model_text(model: Model, width: int = WIDTH) -> str:
    """Return one model with its shape and the sources of its figures."""
    experts = f"{model.experts} of which a token uses {model.experts_per_token}" if model.experts else ""
    cache = f"{model.latent_dimension} numbers per layer and token" if model.latent_dimension else ""
    pairs = [
        (
            "parameters",
            f"{units.billions(model.parameters)}, {units.billions(model.active_parameters)} active per token",
        ),
        ("layers", f"{model.layers} of width {units.count(model.hidden)}"),
        ("attention", f"{model.heads} heads of {model.head_dimension}, {model.kv_heads} KV heads"),
        ("latent", cache),
        ("window", _window(model)),
        ("state", _state(model)),
        ("experts", experts),
        ("context", f"{units.count(model.context)} tokens"),
        ("dtype", f"{model.native_dtype}{_cache(model)} as published"),
        *sources(model.citations),
    ]
    return details(f"{model.name}  {model.architecture}", pairs, width)


def _cache(model: Model) -> str:
    return f", with an {model.native_cache} cache," if model.native_cache else ""


def _window(model: Model) -> str:
    if not model.windowed_layers:
        return ""
    return f"{model.windowed_layers} layers keep the last {units.count(model.window)} tokens, the others all"


def _state(model: Model) -> str:
    if not model.recurrent_layers:
        return ""
    size = units.gigabytes(model.state_bytes)
    return f"{model.recurrent_layers} layers keep no tokens but {size} of a sequence whatever its length"


def profile_text(profile: Profile, width: int = WIDTH, known: Known | None = None) -> str:
    """Return one replica: pictures of its memory and step, what it costs, its steps, and what its memory holds."""
    known = known or Known()
    step = profile.step
    pairs = [
        (
            "price",
            f"{units.dollars_per_hour(profile.price_per_hour)} a GPU; {profile.price_note}"
            if profile.price_per_hour
            else profile.price_note,
        ),
        *(_kernels(step, known.per_sequence) if isinstance(step, StepTable) else _roofline(step)),
        ("front end", _front_end(profile)),
        ("cache", f"{units.count(profile.kv_blocks)} blocks of {profile.block_size} tokens in {profile.kv_dtype}"),
        ("context", f"{units.count(profile.context)} tokens at most"),
        ("settings", set_so(profile.settings)),
        *(("drafts", line) for line in profile.drafts),
        ("experts", profile.expert_load),
        ("graph bins", ", ".join(map(units.count, profile.graph_bins))),
        *(("memory", line) for line in profile.memory),
        ("error", f"{error_text.error(profile)} in a step's time: {error_text.known_by(profile)}"),
        *sources(profile.citations),
    ]
    spread = ", each with some experts whole" if profile.expert_parallel else ""
    spread = f" as {profile.layout}" if profile.layout else spread
    stages = f" in {profile.pp} stages" if profile.pp > 1 else ""
    stages += ", each with sequences of its own" if profile.attention_dp and not profile.layout else ""
    head = f"{profile.model} {profile.dtype} on {profile.gpus_per_replica} {profile.gpu.upper()}{stages}{spread}"
    found = replica_bars(profile, known)
    if not found:
        return details(head, pairs, width)
    return "\n\n".join([text_page([[head]], width), *(bars_text(one, width) for one in found), labelled(pairs, width)])


def set_so(settings: EngineSettings) -> str:
    """Return how an engine is set."""
    how = {"mixed": "", "alone": ", prompts in steps of their own", "whole": ", prompts whole"}[settings.prompt_steps]
    return f"{units.count(settings.token_budget)} tokens a step, {units.count(settings.max_num_seqs)} sequences{how}"


def _roofline(step: StepCost) -> list[tuple[str, str]]:
    weights = units.seconds(step.weight_time + step.expert_time)
    return [
        ("step", f"{units.seconds(step.overhead)} overhead + {weights} weights"),
        ("per token", f"{units.seconds(step.linear_time)} matrices, {units.seconds(step.all_reduce_time)} link"),
        ("per context", f"{units.seconds(step.context_time)} cache read per context token"),
        *(
            [("per sequence", f"{units.seconds(step.sequence_time)} read whatever the length, per decoded token")]
            if step.sequence_time
            else []
        ),
        ("attention", f"{units.seconds(step.attention_time)} per pair of prompt tokens"),
    ]


def _kernels(step: StepTable, per_sequence: float) -> list[tuple[str, str]]:
    """Return two steps that stand for others, with what each operator takes of them and where it was measured."""
    longest, shares = units.count(step.shown_tokens), step_shares(step, per_sequence)
    decode, prompt = (sum(times) for times in zip(*((one.decode, one.prompt) for one in shares), strict=True))
    told = [
        ("step", f"{units.seconds(decode)} for {step.shown_sequences} decodes, each after {longest} tokens"),
        ("prompt", f"{units.seconds(prompt)} for one of {longest} tokens alone"),
    ]
    for one in shares:
        told.append((one.name, f"{units.seconds(one.decode)} and {units.seconds(one.prompt)} of them; {one.evidence}"))
    return told


def _front_end(profile: Profile) -> str:
    """Return what stands in front of the GPU, nothing where it takes no time."""
    each = f"{units.seconds(profile.front_end)} a request, in TTFT and E2E" if profile.front_end else ""
    token = f"{units.seconds(profile.api_token)} of the API process per output token" if profile.api_token else ""
    return "; ".join(filter(None, (each, token)))


def sources(citations: Iterable[Citation]) -> list[tuple[str, str]]:
    """Return one (source, fields) pair of details per source, with the confidence where it is not high."""
    fields: dict[tuple[str, str], list[str]] = {}
    for citation in citations:
        fields.setdefault((citation.source, citation.confidence), []).append(citation.field)
    return [
        ("source", f"{', '.join(names)}: {source}" + ("" if trust == "high" else f" ({trust} confidence)"))
        for (source, trust), names in fields.items()
    ]
