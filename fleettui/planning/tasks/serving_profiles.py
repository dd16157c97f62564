"""The profiles that a question may use: each GPU at each tensor parallelism that holds the model."""

from __future__ import annotations

from itertools import product

from fleettui.domain.dtype import DTYPES
from fleettui.domain.hardware import Gpu, Model, Profile
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.fit import TENSOR_PARALLEL, DoesNotFit
from fleettui.hardware.profile import build_profile


def profiles_of(question: Question, model: Model) -> tuple[Profile, ...]:
    """Return a profile per GPU and parallelism that fits.

    Raises UnknownNameError for a GPU that the catalogue does not hold and InputError when none fits, saying why
    the roomiest one does not.
    """
    prices = dict(question.prices)
    for name in (*prices, *dict(question.max_gpus)):
        catalog.gpu(name)
    gpus = [catalog.gpu(name) for name in question.gpus or catalog.gpu_names()]
    fitting: list[Profile] = []
    refusals: list[tuple[float, DoesNotFit]] = []
    dtypes = DTYPES if question.dtype == "auto" else (question.dtype,)
    for gpu, tp, dtype in product(gpus, sorted(question.tp or TENSOR_PARALLEL), dtypes):
        try:
            price = prices.get(gpu.name)
            fitting.append(
                build_profile(gpu, model, dtype=dtype, tp=tp, engine_overhead=question.engine_overhead, price=price)
            )
        except DoesNotFit as refusal:
            refusals.append((gpu.memory * tp, refusal))
    if not fitting:
        raise _nothing_fits(gpus, refusals)
    return tuple(fitting)


def _nothing_fits(gpus: list[Gpu], refusals: list[tuple[float, DoesNotFit]]) -> InputError:
    _, roomiest = max(refusals, key=lambda pair: pair[0])
    if len(refusals) == 1:
        return roomiest
    tried = ", ".join(gpu.name for gpu in gpus)
    return InputError(
        f"fits on none of {tried} at any of the parallelisms; the nearest: {roomiest.what}",
        where=roomiest.where,
        value=roomiest.value,
        accepted=roomiest.accepted,
        remedy=roomiest.remedy,
    )
