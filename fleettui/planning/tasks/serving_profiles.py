"""The profiles that a question may use: each GPU at each tensor parallelism that holds the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from fleettui.domain.dtype import Dtype
from fleettui.domain.engine_settings import ALL_DIVISIONS
from fleettui.domain.hardware import Gpu, Model, Profile
from fleettui.domain.layout import Layout, layout
from fleettui.domain.scenario import EVERY_GPU, Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import TENSOR_PARALLEL, DoesNotFit
from fleettui.hardware.step_table import times_experts
from fleettui.planning.tasks.asked_profile import asked_profile

AUTO: tuple[Dtype, ...] = ("bf16", "fp8")
"""The number formats that are searched beside the published one where none is said."""
LANES = (2, 4)
"""GPUs of a lane of several, those that are searched."""


def gpus_of(question: Question) -> list[Gpu]:
    """Return the GPUs that a question may use, each once: the named ones, or else those that are searched.

    Under a class of prices those that have such a price. Raises InputError where none has, and for files that give two
    GPUs one name.
    """
    prices, terms = dict(question.prices), question.price_terms
    found = catalog.asked_gpus(question.gpus, prices)
    left = [gpu for gpu in found if terms is None or gpu.name in prices]
    if not left and terms is not None:
        what = f"none of the GPUs that are searched has a {terms.text} price"
        raise InputError(what, where="--gpu", accepted=f"a GPU that has one: {', '.join(sorted(prices))}")
    return left


def unpriced(question: Question) -> tuple[str, ...]:
    """Return the GPUs that a question for every one leaves out, since nobody says what they cost."""
    if EVERY_GPU not in question.gpus:
        return ()
    taken = {gpu.name for gpu in gpus_of(question)}
    return tuple(name for name in catalog.gpu_names() if name not in taken)


def profiles_of(question: Question, model: Model, among: Collection[str] = ()) -> tuple[Profile, ...]:
    """Return a profile per GPU, `among` some alone where they are named, and parallelism that fits.

    Raises UnknownNameError for a GPU that the catalogue does not hold, InputError for one without a price, and when
    none fits, saying why the roomiest one does not.
    """
    gpus = gpus_of(question)
    for name in {*dict(question.prices), *dict(question.max_gpus)} - {gpu.name for gpu in gpus}:
        catalog.gpu(name)
    fitting: list[Profile] = []
    refusals: list[tuple[float, DoesNotFit]] = []
    said = layout(question.layout) if question.layout else None
    if said is not None:
        said.check(model)
    sizes = sorted(question.tp or TENSOR_PARALLEL) if said is None else [said.gpus]
    tried = [gpu for gpu in gpus if not among or gpu.name in among]
    every = (
        (*one, *division)
        for one in product(tried, sizes, sorted(question.pp), _dtypes(question, model))
        for division in _divisions(question, model, one[1], one[2])
    )
    for gpu, tp, pp, dtype, spread, apart, within in every:
        try:
            found = asked_profile(
                question,
                gpu,
                model,
                dtype=dtype,
                tp=tp,
                kv_dtype=question.kv_dtype,
                expert_parallel=spread,
                sequences=question.max_num_seqs,
                pp=pp,
                attention_dp=apart,
                layout=within,
                speculative=question.speculative,
            )
            fitting.append(found)
        except DoesNotFit as refusal:
            refusals.append((gpu.memory * tp * pp, refusal))
    if not fitting:
        raise _nothing_fits(question.model, gpus, refusals)
    return tuple(one for one in fitting if question.parallel is None or _is_tried(one, question))


def _divisions(question: Question, model: Model, tp: int, pp: int) -> Iterator[tuple[bool, bool, str]]:
    """Yield how a stage of `tp` GPUs is divided: experts whole, sequences apart, and the layout of lanes."""
    spreads = _spreads(question, model)
    for spread, apart in product(spreads, _lanes(question)):
        if question.parallel != ALL_DIVISIONS or not apart or (tp > 1 and pp == 1):
            yield spread, apart and tp > 1, layout(question.layout).within if question.layout else ""
    lanes = catalog.engine(question.engine).rules.division.lanes
    wide = question.step_law == "kernels" and pp == 1 and lanes == "groups"
    if question.parallel == ALL_DIVISIONS and wide:
        for lane, spread in product(LANES, spreads):
            if lane < tp:
                yield spread, True, Layout(lane, tp // lane, 1 if spread else tp, tp if spread else 1).within


def _spreads(question: Question, model: Model) -> tuple[bool, ...]:
    """Return whether replicas hold experts whole, both where that is searched: only kernels say what it takes."""
    if question.layout:
        return (layout(question.layout).feed_forward_ep > 1,)
    if question.parallel is None:
        return (question.expert_parallel,)
    return (False, True) if model.experts and question.step_law == "kernels" else (False,)


def _lanes(question: Question) -> tuple[bool, ...]:
    """Return whether replicas divide sequences instead of heads, both where that is searched and kernels say what it
    takes.
    """
    if question.layout:
        return (layout(question.layout).attention_dp > 1,)
    if question.parallel != ALL_DIVISIONS:
        return (question.attention_dp,)
    return (False, True) if question.step_law == "kernels" else (False,)


def _is_tried(profile: Profile, question: Question) -> bool:
    """Return whether a search of divisions has a profile: one whose experts are whole if its GPUs know what they take.

    A single GPU holds all experts whole either way.
    """
    timed = times_experts(profile.step) or question.fit_of(profile) is not None
    return not profile.expert_parallel or (profile.tp > 1 and timed)


def _dtypes(question: Question, model: Model) -> tuple[Dtype, ...]:
    """Return the number formats that are searched; fewer bits than are published change what a model says."""
    return tuple(dict.fromkeys((*AUTO, model.native_dtype))) if question.dtype == "auto" else (question.dtype,)


def _nothing_fits(model: str, gpus: list[Gpu], refusals: list[tuple[float, DoesNotFit]]) -> InputError:
    """Return why `model`, as it was asked for, fits nowhere."""
    _, roomiest = max(refusals, key=lambda pair: pair[0])
    stands_for = catalog.model_aliases().get(model)
    what = roomiest.what if stands_for is None else f"{model} is run as {stands_for}: {roomiest.what}"
    if len(refusals) > 1:
        tried = ", ".join(gpu.name for gpu in gpus)
        what = f"fits on none of {tried} at any of the parallelisms: the nearest, {what}"
    return InputError(
        what, where=roomiest.where, value=roomiest.value, accepted=roomiest.accepted, remedy=roomiest.remedy
    )
