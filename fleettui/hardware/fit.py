"""What can serve what: the refusals that do not depend on memory, before any cost is worked out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fleettui.domain.dtype import DTYPES, CacheDtype, Dtype, Units
from fleettui.domain.hardware import Gpu, Model
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.hardware import catalog

TENSOR_PARALLEL: tuple[int, ...] = (1, 2, 4, 8)
PIPELINE: tuple[int, ...] = (1, 2, 4, 8)
"""Stages that a replica may be divided into, each a group of GPUs of its own."""
NVIDIA = "NVIDIA"
NEEDED: Mapping[Dtype, Units] = {"fp8": "fp8", "fp8-block": "fp8", "nvfp4": "fp4"}
"""The units that a number format cannot do without; of the others bf16 units take the place."""


class DoesNotFit(InputError):
    """This model cannot be served on these GPUs in this way; the remedy names ways that can."""


def check_fit(gpu: Gpu, model: Model, *, dtype: Dtype, tp: int, kv_dtype: CacheDtype = "bf16", pp: int = 1) -> None:
    """Raise InputError for a tp, pp or dtype that is never accepted, DoesNotFit for one that this pair cannot have."""
    if tp not in TENSOR_PARALLEL:
        raise InputError("tensor parallelism is not supported", value=tp, accepted=_listed(TENSOR_PARALLEL))
    if pp not in PIPELINE:
        raise InputError("a pipeline of so many stages is not supported", value=pp, accepted=_listed(PIPELINE))
    if dtype not in DTYPES:
        raise InputError("unknown dtype", value=dtype, accepted=", ".join(DTYPES))
    lacking = lacks(gpu, model, dtype)
    if lacking:
        others = ", ".join(one for one in DTYPES if not lacks(gpu, model, one))
        able = _able(lambda other: not lacks(other, model, dtype))
        raise DoesNotFit(
            lacking,
            accepted=f"--dtype {others}" + (f"; {dtype} on {able}" if able else ""),
            remedy=f"choose one of those{' or another GPU' if able else ''}",
        )
    if kv_dtype == "fp8" and gpu.peak_fp8 is None:
        raise DoesNotFit(
            f"{gpu.name} has no fp8 units: its attention cannot read an fp8 cache",
            accepted="--kv-dtype bf16, or fp8 on " + _able(lambda other: other.peak_fp8 is not None),
            remedy="choose --kv-dtype bf16 or another GPU",
        )
    if tp > gpu.joined:
        what = f"tensor parallelism {tp} needs more GPUs than the link of {gpu.name} joins"
        raise DoesNotFit(what, value=gpu.joined, remedy=f"choose --tp {gpu.joined} or less")
    if tp * pp > gpu.joined and gpu.scale_out is None:
        what = f"{pp} stages of {tp} GPUs are more than the link of {gpu.name} joins, and nothing is known of another"
        raise DoesNotFit(what, value=gpu.joined, remedy="give scale_out in a file of that GPU, or fewer stages")
    if model.heads % tp:
        dividing = _listed(tuple(size for size in TENSOR_PARALLEL if model.heads % size == 0))
        what = f"the {model.heads} attention heads of {model.name} cannot be divided by tensor parallelism {tp}"
        raise DoesNotFit(what, accepted=dividing, remedy=f"choose --tp out of {dividing}")


def check_spread(model: Model, tp: int) -> None:
    """Raise InputError for a model without routed experts, DoesNotFit where `tp` GPUs cannot hold as many each."""
    if not model.experts:
        remedy = "leave out --expert-parallel"
        raise InputError(f"{model.name} has no routed experts to spread", where="--expert-parallel", remedy=remedy)
    if model.experts % tp:
        dividing = _listed(tuple(size for size in TENSOR_PARALLEL if model.experts % size == 0))
        what = f"the {model.experts} routed experts of {model.name} cannot be spread evenly over {tp} GPUs"
        raise DoesNotFit(
            what, accepted=dividing, remedy=f"choose --tp out of {dividing}, or leave out --expert-parallel"
        )


def lacks(gpu: Gpu, model: Model, dtype: Dtype) -> str:
    """Return why a GPU cannot serve a model in `dtype`, empty where it can: weights alone in integers run in bf16."""
    if dtype == "mxfp4" and not model.experts:
        return f"mxfp4 is a format of routed experts, and {model.name} has none"
    if dtype == "nvfp4" and gpu.vendor != NVIDIA:
        return f"nvfp4 is a format of {NVIDIA}'s GPUs, and {gpu.name} is of {gpu.vendor}"
    units = NEEDED.get(dtype, "bf16")
    return f"{gpu.name} has no {units} units" if gpu.peak(units) is None else ""


def lacks_for(gpu: Gpu, model: Model, question: Question) -> str:
    """Return in a few words why a GPU serves a model in no format that is asked for, empty where it does in some."""
    dtype = question.dtype
    if dtype != "auto" and lacks(gpu, model, dtype):
        units = NEEDED.get(dtype, "bf16")
        return f"no {units} units" if gpu.peak(units) is None else f"{dtype} is {NVIDIA}'s"
    return "no fp8 units to read the cache" if question.kv_dtype == "fp8" and gpu.peak_fp8 is None else ""


def _able(serves: Callable[[Gpu], bool]) -> str:
    """Return the GPUs that are usual and of which something is true."""
    return ", ".join(name for name in catalog.searched_gpu_names() if serves(catalog.gpu(name)))


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(str(size) for size in sizes)
