"""The kernel tables of `fleettui/hardware/kernels`, built from the parquet files that AIConfigurator publishes.

`python -m tests.evidence.condense_kernels KERNELS OUT` reads KERNELS/GPU/FAMILY/ENGINE/VERSION/*.parquet and writes
OUT/GPU-ENGINE.json.gz, the same bytes every time; `--check` also tells how far the tables are from every measured
point, median and 95 % of them. Needs the extra `kernels`. CHANGELOG.md has the errors of the 15 files that are shipped.

A cell is the median of what was measured there; cells that were not take their nearest neighbour's multiple along the
last axis first. Attention was measured up to a number of cached tokens together: where more sequences have as much
context, it is as near to what the datasheet allows as that of fewer, or of less context where that is nearer. Of
experts the fastest of their kernels counts, which engines find by trying: for TensorRT-LLM on Blackwell those of its
own that SGLang calls, too, which were measured there alone. Left out are kernels that were launched one by one instead
of from a CUDA graph (matrix products of 25 µs and latent attention of 60 µs at the smallest shapes say nothing below
that). Where the product of the smallest shapes takes 3 µs more than 5 µs, the input was quantized inside the time that
was taken, which engines do as part of the norm before it: that much is taken off.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fleettui.domain.dtype import CACHE_BYTES
from fleettui.domain.hardware import Gpu
from fleettui.hardware import catalog
from fleettui.hardware.formats import FORMATS
from fleettui.hardware.kernel_search import ENGINES, EXPERTS_SKEW
from fleettui.hardware.kernel_tables import HUNDREDTHS, KernelTable
from fleettui.hardware.operators import (
    ExpertShape,
    Floats,
    Work,
    decode_attention,
    experts,
    latent_decode,
    latent_prompt,
    matrix_product,
    prompt_attention,
    ring_time,
)
from fleettui.hardware.what_was_measured import KERNEL_SUFFIX
from tests.evidence import common

SOURCE = "https://github.com/ai-dynamo/aiconfigurator, measured kernels of its systems data"
LICENCE = "Apache-2.0"
FOLDERS = {"h100": "h100_sxm", "h200": "h200_sxm", "b200": "b200_sxm", "a100": "a100_sxm", "l40s": "l40s"}
SECOND = 1e3  # milliseconds
SMALLEST_PRODUCT, QUANTIZED = 5e-6, 3e-6
"""Seconds of the smallest matrix product, and of what more it takes where its input was quantized inside that time."""
LAUNCHED, LAUNCHED_LATENT = 25e-6, 60e-6
"""Seconds of the smallest product and latent attention above which kernels were launched one by one."""
UNTUNED, TRIED = "deepgemm", 128
"""Products that were measured by the kernel's own choice, and the tokens up to which their engine tries another way.

On Blackwell TensorRT-LLM finds for each number of tokens whether FP8 blocks go faster with both sides exchanged
(NVIDIA/TensorRT-LLM pull request 7355); its collector (ai-dynamo/aiconfigurator, collector/trtllm/collect_gemm.py) does
not let it try, and the kernel it falls back on takes up to twice as long for 1 to 31 tokens as for 32.
"""
FEWEST, FEWEST_EXPERTS = 50, 20
"""Points below which a table is not worth its place."""
MOST_DIVIDED, MOST_RANKS = 8, 32
LENDER, LENT = "sglang", "sglang_flashinfer_trtllm_moe"
"""Whose measurements have kernels of TensorRT-LLM, for Blackwell alone, and what they are called there."""
SLOWER_THAN_BF16 = "vllm_modeloptfp8moe_flashinfer_cutlass_flashinferexperts"
"""Experts in FP8 that take two to four times as long on H100 as the same in bf16, at 1 token as at 4,096.

vLLM takes them, by their name, for one kind of checkpoint; those that others run were measured on H200 alone.
"""
EXPERT_POINT = (
    "moe_dtype",
    "hidden_size",
    "inter_size",
    "topk",
    "num_experts",
    "moe_tp_size",
    "moe_ep_size",
    "distribution",
    "num_tokens",
)
"""Columns of a point of experts."""
SKEWS = {"balanced": 1, "power_law_1.2": EXPERTS_SKEW}
"""The places of both ways in which tokens choose experts on the axis `skew`."""
DOUBLING = [2**power for power in range(18)]
WIDTHS = sorted(DOUBLING + [3 * one for one in DOUBLING[:13]] + [5 * one for one in DOUBLING[:12]])
TOKENS = sorted(
    {1, 2, 4, 8, 12, 16, 17, 32, 33, 48, 64, 65, 80, 96, 112, 768, 769, 2817, 3072, 3073, 3329, 3585, 3841, 4096, 4097}
    | {4352, 4353, 8192, 16384, 32768}
    | {edge + beyond for edge in (128, 160, 192, 224, 256, 512, 1024) for beyond in (0, 1)}
    | {edge + beyond for edge in (1280, 1536, 1792, 2048, 2304, 2560) for beyond in (0, 1)}
)
"""Tokens of matrix products: kernels step where another tile begins."""
CONTEXTS = [2, 4, 16, 32, *DOUBLING[6:18]]
PROMPTS = [1, 16, 64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768]
GROUPS = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64, 96, 128]
EXPERT_TOKENS = DOUBLING[:16]
GROWING = ("units", "sequences", "context", "length")
"""Axes along which attention has more to do."""

Columns = dict[str, NDArray[Any]]


@dataclass(slots=True)
class Errors:
    """How far tables are from what they were made of: |table / measured − 1| by operator."""

    by_operator: dict[str, list[Floats]] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield a line for each operator."""
        for operator, parts in sorted(self.by_operator.items()):
            found = np.concatenate(parts)
            middle, most = np.quantile(found, (0.5, 0.95))
            yield f"  {operator:17} {len(found):7} points, {middle:.2%} median, {most:.1%} P95"


@dataclass(slots=True)
class Condenser:
    """The tables of one GPU and engine, gathered from a folder of parquet files."""

    root: Path
    gpu: Gpu
    engine: str
    tables: list[KernelTable] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    errors: Errors = field(default_factory=Errors)

    def build(self) -> None:
        """Gather every operator."""
        self.products()
        self.decodes()
        self.prompts()
        self.latent()
        self.experts()
        self.all_reduces()

    def read(self, operator: str, family: str, name: str) -> Columns | None:
        """Return the columns of the newest file of an operator, seconds under `t`; None where there is none."""
        found = sorted((self.root / family / self.engine).glob(f"*/{name}_perf.parquet"))
        if not found:
            return None
        self.versions[operator] = found[-1].parent.name
        return self._columns(found[-1])

    def _columns(self, path: Path) -> Columns:
        from pyarrow import parquet

        rows = parquet.read_table(path)
        columns = {name: np.asarray(rows.column(name).to_pylist()) for name in rows.column_names}
        for column, values in columns.items():
            if column.endswith("dtype"):
                columns[column] = np.where(np.isin(values, ("bfloat16", "float16")), "bf16", values)
        columns["t"] = columns["latency"].astype(float) / SECOND
        columns.setdefault("window_size", np.zeros(len(columns["t"]), int))
        columns.setdefault("attn_dtype", np.full(len(columns["t"]), "bf16"))
        return where(columns, columns["t"] > 0)

    def add(
        self, operator: str, key: Mapping[str, Any], rows: Columns, axes: Mapping[str, Sequence[int]], least: Floats
    ) -> None:
        """Add a table over `axes` of the ratio of `rows` to their `least` times, and note its errors."""
        kept = {name: [one for one in values if (rows[name] == one).any()] for name, values in axes.items()}
        if not all(kept.values()):
            return
        cells = grid(rows, kept, HUNDREDTHS * np.log(rows["t"] / least))
        lines = [" ".join(map(str, row)) for row in cells.reshape(-1, cells.shape[-1])]
        table = KernelTable(operator, dict(key), kept, lines)
        self.tables.append(table)
        told = table.multiple(**{name: rows[name] for name in kept}) * least
        self.errors.by_operator.setdefault(operator, []).append(np.abs(told / rows["t"] - 1.0))

    def products(self) -> None:
        """Add matrix products by format."""
        every = self.read("matrix_product", "gemm", "gemm")
        for form, timed in by(every, "gemm_dtype"):
            if form not in FORMATS:
                continue
            rows = tuned(smallest(where(timed, timed["m"] > 0), "m", "n", "k"))
            floor = np.median(rows["t"][(rows["m"] <= 16) & (rows["n"] <= 512) & (rows["k"] <= 512)])
            if floor > LAUNCHED:
                continue
            if floor > SMALLEST_PRODUCT + QUANTIZED:
                rows["t"] = np.maximum(rows["t"] - (floor - SMALLEST_PRODUCT), SMALLEST_PRODUCT)
            axes = {"n": distinct(rows["n"]), "k": distinct(rows["k"]), "m": TOKENS}
            self.add(
                "matrix_product",
                {"form": form},
                rows,
                axes,
                self.least(matrix_product(rows["m"], rows["n"], rows["k"], form)),
            )

    def decodes(self) -> None:
        """Add attention of decodes by width of a head, window and format of the cache."""
        every = self.read("decode_attention", "attention", "generation_attention")
        if every is not None:
            every["context"] = every["step"] + 1
            every["units"] = every["batch_size"] * every["num_key_value_heads"]
            every["grouped"] = every["num_heads"] // every["num_key_value_heads"]
        for (width, window, cache), timed in by(every, "head_dim", "window_size", "kv_cache_dtype"):
            if len(timed["t"]) < FEWEST:
                continue
            rows = smallest(timed, "units", "grouped", "context", "num_key_value_heads")
            work = decode_attention(
                rows["units"],
                rows["grouped"],
                rows["context"],
                width=width,
                cache_bytes=CACHE_BYTES[cache],
                window=window,
            )
            key = {"width": int(width), "window": int(window), "cache": str(cache)}
            axes = {"grouped": GROUPS, "units": DOUBLING, "context": CONTEXTS}
            self.add("decode_attention", key, rows, axes, self.least(work))

    def prompts(self) -> None:
        """Add attention of prompts by width of a head, window and format of the arithmetic."""
        every = self.read("prompt_attention", "attention", "context_attention")
        if every is not None:
            every["units"] = every["batch_size"] * every["num_heads"]
            every["grouped"] = every["num_heads"] // every["num_key_value_heads"]
        for (width, window, form), timed in by(every, "head_dim", "window_size", "attn_dtype"):
            if len(timed["t"]) < FEWEST or form not in FORMATS:
                continue
            rows = smallest(timed, "units", "grouped", "isl", "num_heads")
            rows["length"] = rows["isl"]
            work = prompt_attention(
                rows["units"], rows["grouped"], rows["length"], width=width, form=str(form), window=window
            )
            key = {"width": int(width), "window": int(window), "form": str(form)}
            self.add(
                "prompt_attention", key, rows, {"grouped": GROUPS, "units": WIDTHS, "length": PROMPTS}, self.least(work)
            )

    def latent(self) -> None:
        """Add latent attention of decodes and prompts by format of the cache."""
        for cache, timed in by(self.read("latent_decode", "mla", "generation_mla"), "kv_cache_dtype"):
            if np.quantile(timed["t"], 0.01) > LAUNCHED_LATENT:
                continue
            timed |= {"heads": timed["num_heads"], "sequences": timed["batch_size"], "context": timed["step"] + 1}
            rows = smallest(timed, "heads", "sequences", "context")
            work = latent_decode(rows["heads"], rows["sequences"], rows["context"], cache_bytes=CACHE_BYTES[cache])
            axes = {"heads": DOUBLING, "sequences": DOUBLING, "context": CONTEXTS}
            self.add("latent_decode", {"cache": str(cache)}, rows, axes, self.least(work))
        for cache, timed in by(self.read("latent_prompt", "mla", "context_mla"), "kv_cache_dtype"):
            if np.quantile(timed["t"], 0.01) > LAUNCHED_LATENT:
                continue
            timed |= {"units": timed["batch_size"] * timed["num_heads"], "length": timed["isl"]}
            rows = smallest(timed, "units", "length", "num_heads")
            work = latent_prompt(rows["units"], rows["length"])
            self.add(
                "latent_prompt", {"cache": str(cache)}, rows, {"units": DOUBLING, "length": PROMPTS}, self.least(work)
            )

    def experts(self) -> None:
        """Add routed experts by format and shape, one table for each division among GPUs."""
        every = self.read("experts", "moe", "moe")
        if every is not None:
            every = self._with_lent(every)
            every = where(every, every["kernel_source"] != SLOWER_THAN_BF16)
            every["skew"] = np.array([SKEWS.get(one, 0) for one in every["distribution"]])
            few = (every["moe_tp_size"] <= MOST_DIVIDED) & (every["moe_ep_size"] <= MOST_RANKS)
            every = where(every, few & (every["skew"] > 0) & np.isin(every["moe_dtype"], list(FORMATS)))
        for shape, timed in by(every, "moe_dtype", "hidden_size", "inter_size", "topk", "num_experts"):
            rows = fastest_kernel(timed)
            if len(rows["t"]) < FEWEST_EXPERTS:
                continue
            for (divided, ranks), part in by(rows, "moe_tp_size", "moe_ep_size"):
                if divided * ranks > MOST_RANKS:
                    continue
                form, hidden, inner, used, count = str(shape[0]), *map(int, shape[1:])
                own = ExpertShape(
                    hidden=hidden, inner=inner, used=used, count=count, divided=int(divided), ranks=int(ranks)
                )
                part["tokens"] = part["num_tokens"]
                work = experts(part["tokens"], own, form)
                self.add(
                    "experts",
                    {"form": form, **asdict(own)},
                    part,
                    {"skew": sorted(SKEWS.values()), "tokens": EXPERT_TOKENS},
                    self.least(work),
                )

    def _with_lent(self, own: Columns) -> Columns:
        """Return experts with, for the points that TensorRT-LLM has, what its kernels took when SGLang called them."""
        found = sorted((self.root / "moe" / LENDER).glob("*/moe_perf.parquet")) if self.engine == "trtllm" else []
        every = {name: own[name] for name in (*EXPERT_POINT, "kernel_source", "t")}
        for path in found[-1:]:
            lent = self._columns(path)
            points = {*zip(*(own[name].tolist() for name in EXPERT_POINT), strict=True)}
            is_own = [one in points for one in zip(*(lent[name].tolist() for name in EXPERT_POINT), strict=True)]
            lent = where(lent, np.array(is_own) & (lent["kernel_source"] == LENT))
            every = {name: np.concatenate((values, lent[name])) for name, values in every.items()}
        return every

    def all_reduces(self) -> None:
        """Add sums over the GPUs of a replica by their number and how they are launched."""
        every = self.read("all_reduce", "comm", "custom_allreduce")
        if every is not None:
            eager = np.char.find(every["kernel_source"].astype(str), "eager") >= 0
            every["launch"] = np.where(eager, "eager", "graph")
        for (launch, gpus), rows in by(every, "launch", "num_gpus"):
            rows["numbers"] = rows["message_size"]
            axes = {"numbers": distinct(rows["numbers"])}
            key = {"launch": str(launch), "gpus": int(gpus)}
            self.add("all_reduce", key, rows, axes, ring_time(rows["numbers"], int(gpus), self.gpu.link_bandwidth))

    def least(self, work: Work) -> Floats:
        """Return the seconds that the datasheet allows."""
        return work.least(self.gpu)

    def packed(self) -> bytes:
        """Return the file: a table a line, gzipped without a time."""
        rates = {
            name: value
            for name in ("bandwidth", "peak_bf16", "peak_fp8", "peak_int8", "peak_fp4", "link_bandwidth")
            if (value := getattr(self.gpu, name)) is not None
        }
        about = {"gpu": self.gpu.name, "engine": self.engine, "source": SOURCE, "licence": LICENCE}
        head = json.dumps({**about, "versions": self.versions, "rates": rates})
        lines = ",\n".join(json.dumps(asdict(table), separators=(",", ":")) for table in self.tables)
        return gzip.compress(f'{{"about":{head},\n"tables":[\n{lines}\n]}}\n'.encode(), 9, mtime=0)


def grid(rows: Columns, axes: Mapping[str, Sequence[int]], values: Floats) -> NDArray[np.int64]:
    """Return the median of `values` in each cell of `axes`, rounded; holes take their nearest neighbour's."""
    inside = np.logical_and.reduce([np.isin(rows[name], kept) for name, kept in axes.items()])
    shape = [len(kept) for kept in axes.values()]
    at = np.ravel_multi_index([np.searchsorted(kept, rows[name][inside]) for name, kept in axes.items()], shape)
    order = np.lexsort((values[inside], at))
    cells, starts, counts = np.unique(at[order], return_index=True, return_counts=True)
    ranked = values[inside][order]
    table = np.full(int(np.prod(shape)), np.nan)
    table[cells] = (ranked[starts + (counts - 1) // 2] + ranked[starts + counts // 2]) / 2.0
    table = with_less(table.reshape(shape), [axis for axis, name in enumerate(axes) if name in GROWING])
    for axis in reversed(range(len(shape))):
        table = np.apply_along_axis(filled, axis, table)
    return np.round(table).astype(np.int64)


def with_less(table: Floats, growing: Sequence[int]) -> Floats:
    """Return a table whose holes have the least of the values before them along the `growing` axes.

    A kernel that has more to do of one thing and as much of all others reaches no less of what the datasheet allows.
    """
    found = table.copy()
    for place in np.ndindex(table.shape):
        if growing and np.isnan(found[place]):
            before = [found[_less(place, axis)] for axis in growing if place[axis]]
            found[place] = min((one for one in before if np.isfinite(one)), default=np.nan)
    return found


def _less(place: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*place[:axis], place[axis] - 1, *place[axis + 1 :])


def filled(line: Floats) -> Floats:
    """Return a line whose holes have the value before them, those at its start the first value."""
    known = np.flatnonzero(np.isfinite(line))
    if not len(known):
        return line
    before = np.searchsorted(known, np.arange(len(line)), side="right") - 1
    return line[known[np.maximum(before, 0)]]


def where(rows: Columns, chosen: NDArray[Any]) -> Columns:
    """Return the chosen rows."""
    return {name: values[chosen] for name, values in rows.items()}


def by(rows: Columns | None, *names: str) -> Iterator[tuple[Any, Columns]]:
    """Yield the rows of each combination of columns, sorted; of one column its value instead of a tuple."""
    found = sorted({*zip(*(rows[name].tolist() for name in names), strict=True)}) if rows is not None else []
    for key in found:
        assert rows is not None, "only rows have keys"
        chosen = np.logical_and.reduce([rows[name] == one for name, one in zip(names, key, strict=True)])
        yield (key[0] if len(names) == 1 else key), where(rows, chosen)


def smallest(rows: Columns, *names: str) -> Columns:
    """Return the quickest row of each combination of whole numbers."""
    quick = where(rows, np.argsort(rows["t"], kind="stable"))
    _, first = np.unique(np.stack([quick[name] for name in names]), axis=1, return_index=True)
    return where(quick, first)


def tuned(rows: Columns) -> Columns:
    """Return products without those that take longer than ones of more tokens, where an engine would have tried.

    What it finds was not measured; a product of more tokens does the same work and more.
    """
    kept = rows | {"t": rows["t"].copy()}
    for _, at in by(rows | {"at": np.arange(len(rows["t"]))}, "n", "k"):
        few = at["at"][(at["kernel_source"] == UNTUNED) & (at["m"] <= TRIED)]
        order = few[np.argsort(rows["m"][few])]
        kept["t"][order] = np.minimum.accumulate(rows["t"][order][::-1])[::-1]
    return kept


def fastest_kernel(rows: Columns) -> Columns:
    """Return each point as the fastest of its kernels measured it: engines choose by trying them."""
    point = (*EXPERT_POINT[5:7], "skew", "num_tokens")
    kernels = np.unique(rows["kernel_source"], return_inverse=True)[1]
    keys = np.stack([kernels, *(rows[name] for name in point)])
    return smallest(where(rows, np.unique(keys, axis=1, return_index=True)[1]), *point)


def distinct(values: NDArray[Any]) -> list[int]:
    """Return the whole numbers among values, sorted."""
    return [int(one) for one in np.unique(values)]


def main() -> None:
    """Build the files of every GPU and engine, or of those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", help="GPU-ENGINE")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    for gpu, folder in FOLDERS.items():
        for engine in ENGINES:
            name = f"{gpu}-{engine}"
            if asked.only and name not in asked.only:
                continue
            condenser = Condenser(asked.kernels / folder, catalog.gpu(gpu), engine)
            condenser.build()
            packed = condenser.packed()
            (asked.out / f"{name}{KERNEL_SUFFIX}").write_bytes(packed)
            common.say(f"{name}: {len(condenser.tables)} tables, {len(packed) / 1e3:.0f} kB")
            for line in condenser.errors.lines() if asked.check else ():
                common.say(line)


if __name__ == "__main__":
    main()
