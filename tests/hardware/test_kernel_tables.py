"""The shipped tables: complete, small, of the catalogue's datasheets, and the measured points they were made of."""

from importlib import resources

import numpy as np
import pytest

from fleettui.hardware import catalog
from fleettui.hardware.formats import FORMATS
from fleettui.hardware.kernel_tables import KernelTable, first, kernel_file
from fleettui.hardware.operators import decode_attention, matrix_product
from fleettui.hardware.what_was_measured import kernel_names
from tests.evidence.condense_kernels import UNTUNED, tuned

LARGEST = 1_000_000
SMALL = KernelTable("x", {}, {"n": [10, 1000], "m": [1, 4]}, ["0 100", "200 300"])


def table(gpu: str, operator: str, **key: object) -> KernelTable:
    file = kernel_file(gpu, "vllm")
    assert file is not None
    return next(one for one in file.tables[operator] if key.items() <= one.key.items())


def test_five_gpus_under_three_engines_are_measured() -> None:
    gpus = ("a100", "b200", "h100", "h200", "l40s")
    assert kernel_names() == tuple((gpu, engine) for gpu in gpus for engine in ("sglang", "trtllm", "vllm"))


@pytest.mark.parametrize("pair", kernel_names(), ids="-".join)
def test_a_file_is_small_and_of_the_datasheet_that_the_catalogue_has(pair: tuple[str, str]) -> None:
    file, gpu = kernel_file(*pair), catalog.gpu(pair[0])
    assert file is not None
    assert (file.gpu, file.engine) == pair
    assert {name: getattr(gpu, name) for name in file.rates} == file.rates
    assert (
        set(file.versions) >= set(file.tables) >= {"matrix_product", "decode_attention", "prompt_attention", "experts"}
    )
    assert all(one.key.get("form", "bf16") in FORMATS for tables in file.tables.values() for one in tables)
    packed = resources.files("fleettui.hardware").joinpath("kernels", f"{pair[0]}-{pair[1]}.json.gz").read_bytes()
    assert len(packed) < LARGEST


def test_what_nobody_measured_has_no_file() -> None:
    assert kernel_file("mi300x", "vllm") is None
    assert first([("mi300x", "vllm")], "matrix_product", lambda tables: tables[0]) is None


def test_the_first_table_that_suits_is_found_with_its_origin() -> None:
    chain = [("mi300x", "vllm"), ("h100", "vllm"), ("h100", "sglang")]
    found = first(chain, "latent_decode", lambda tables: next(iter(tables), None))
    assert found is not None
    assert (found.gpu, found.engine) == ("h100", "sglang")


@pytest.mark.parametrize(
    ("n", "m", "hundredths"),
    [(10, 1, 0), (10, 4, 100), (1000, 4, 300), (100, 1, 100), (100, 2, 150), (1, 1, 0), (1e6, 16, 300)],
)
def test_logarithms_are_straight_between_points_and_level_beyond(n: float, m: float, hundredths: float) -> None:
    assert SMALL.multiple(n=n, m=m) == pytest.approx(np.exp(hundredths / 100))


def test_shapes_broadcast() -> None:
    assert SMALL.multiple(n=np.array([[10.0], [100.0]]), m=np.array([1.0, 2.0, 4.0])).shape == (2, 3)


@pytest.mark.parametrize(
    ("gpu", "rows", "columns", "microseconds"),
    [  # hardware.md: H100 and A100, bf16, vLLM, 1, 128, 1024 and 8192 tokens
        ("h100", 6144, 4096, (21.2, 21.6, 64.6, 627)),
        ("h100", 4096, 4096, (16.1, 15.4, 44.1, 367)),
        ("h100", 7168, 8192, (44.8, 45.1, 161.4, 1162)),
        ("h100", 8192, 3584, (22.6, 24.9, 78.0, 630)),
        ("a100", 6144, 4096, (38, 51, 205, 1670)),
        ("a100", 7168, 8192, (88, 111, 522, 3340)),
    ],
)
def test_measured_products(gpu: str, rows: int, columns: int, microseconds: tuple[float, ...]) -> None:
    tokens = np.array([1, 128, 1024, 8192])
    least = matrix_product(tokens, rows, columns, "bf16").least(catalog.gpu(gpu))
    found = least * table(gpu, "matrix_product", form="bf16").multiple(n=rows, k=columns, m=tokens)
    assert found * 1e6 == pytest.approx(microseconds, rel=0.18)


@pytest.mark.parametrize(
    ("gpu", "sequences", "context", "milliseconds"),
    [  # 32 query and 8 KV heads of 128, bf16, vLLM
        ("h100", 1, 1024, 0.0121),
        ("h100", 1, 8192, 0.0172),
        ("h100", 32, 1024, 0.0567),
        ("h100", 32, 4096, 0.186),
        ("h100", 128, 512, 0.109),
        ("h100", 128, 2048, 0.363),
        ("h100", 256, 512, 0.206),
        ("a100", 32, 1024, 0.123),
        ("a100", 128, 2048, 0.645),
    ],
)
def test_measured_decode_attention(gpu: str, sequences: int, context: int, milliseconds: float) -> None:
    least = decode_attention(8 * sequences, 4, context, width=128, cache_bytes=2).least(catalog.gpu(gpu))
    found = table(gpu, "decode_attention", width=128, window=0, cache="bf16")
    assert least * found.multiple(grouped=4, units=8 * sequences, context=context) == pytest.approx(
        milliseconds / 1e3, rel=0.2
    )


def test_products_whose_engine_tries_two_ways_take_no_longer_than_those_of_more_tokens() -> None:
    """TensorRT-LLM's FP8 blocks on Blackwell, as its collector did not let it try (CHANGELOG)."""
    file, tokens = kernel_file("b200", "trtllm"), np.array([1.0, 8.0, 16.0, 32.0, 64.0, 128.0])
    assert file is not None
    blocks = next(one for one in file.tables["matrix_product"] if one.key["form"] == "fp8_block")
    for n, k in ((1536, 7168), (3072, 1536), (7168, 2048)):
        least = matrix_product(tokens, n, k, "fp8_block").least(catalog.gpu("b200"))
        seconds = blocks.multiple(n=n, k=k, m=tokens) * least
        assert (seconds[:-1] <= 1.01 * seconds[1:]).all()
        assert seconds[0] > 0.6 * seconds[-1]


def test_only_products_that_no_engine_tuned_are_taken_as_those_of_more_tokens() -> None:
    rows = {
        "n": np.repeat([128, 256], 5),
        "k": np.full(10, 512),
        "m": np.array([32, 1, 128, 129, 8, 1, 8, 32, 128, 129]),
        "t": np.array([12.0, 26.0, 14.0, 9.0, 11.0, 26.0, 11.0, 12.0, 14.0, 9.0]),
        "kernel_source": np.repeat([UNTUNED, "torch_flow"], 5),
    }
    assert tuned(rows)["t"].tolist() == [12.0, 11.0, 14.0, 9.0, 11.0, 26.0, 11.0, 12.0, 14.0, 9.0]
    assert rows["t"][1] == 26.0
