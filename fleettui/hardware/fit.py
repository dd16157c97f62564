"""What can serve what: the refusals that do not depend on memory, before any cost is worked out."""

from __future__ import annotations

from fleettui.domain.dtype import DTYPES, CacheDtype, Dtype
from fleettui.domain.hardware import Gpu, Model
from fleettui.errors import InputError
from fleettui.hardware import catalog

TENSOR_PARALLEL: tuple[int, ...] = (1, 2, 4, 8)


class DoesNotFit(InputError):
    """This model cannot be served on these GPUs in this way; the remedy names ways that can."""


def check_fit(gpu: Gpu, model: Model, *, dtype: Dtype, tp: int, kv_dtype: CacheDtype = "bf16") -> None:
    """Raise InputError for a tp or dtype that is never accepted, DoesNotFit for one that this pair cannot have."""
    if tp not in TENSOR_PARALLEL:
        raise InputError("tensor parallelism is not supported", value=tp, accepted=_listed(TENSOR_PARALLEL))
    if dtype not in DTYPES:
        raise InputError("unknown dtype", value=dtype, accepted=", ".join(DTYPES))
    if gpu.peak(dtype) is None:
        raise DoesNotFit(
            f"{gpu.name} has no {dtype} units",
            accepted=f"--dtype bf16, or {dtype} on " + _able(dtype),
            remedy="choose --dtype bf16 or another GPU",
        )
    if kv_dtype == "fp8" and gpu.peak_fp8 is None:
        raise DoesNotFit(
            f"{gpu.name} has no fp8 units: its attention cannot read an fp8 cache",
            accepted="--kv-dtype bf16, or fp8 on " + _able("fp8"),
            remedy="choose --kv-dtype bf16 or another GPU",
        )
    if tp > gpu.joined:
        what = f"tensor parallelism {tp} needs more GPUs than the link of {gpu.name} joins"
        raise DoesNotFit(what, value=gpu.joined, remedy=f"choose --tp {gpu.joined} or less")
    if model.heads % tp:
        dividing = _listed(tuple(size for size in TENSOR_PARALLEL if model.heads % size == 0))
        what = f"the {model.heads} attention heads of {model.name} cannot be divided by tensor parallelism {tp}"
        raise DoesNotFit(what, accepted=dividing, remedy=f"choose --tp out of {dividing}")


def _able(dtype: Dtype) -> str:
    """Return the GPUs that are usual and have units for `dtype`."""
    return ", ".join(name for name in catalog.searched_gpu_names() if catalog.gpu(name).peak(dtype) is not None)


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(str(size) for size in sizes)
