from __future__ import annotations

from typing import Any

import pytest

from fleettui.domain.workload import Origin
from fleettui.errors import InputError
from fleettui.workloads import library
from fleettui.workloads.build import build_workload
from tests.repeated import few

HEADER = "arrival_s,input_tokens,output_tokens\n"

SHIPPED: dict[str, tuple[list[str], dict[str, Any]]] = {
    "azure-2023-code": (["raw/AzureLLMInferenceTrace_code.csv"], {}),
    "azure-2023-both": (["raw/AzureLLMInferenceTrace_code.csv", "raw/AzureLLMInferenceTrace_conv.csv"], {}),
    "mooncake-conversation": (["raw/mooncake_conversation_trace.jsonl.gz"], {}),
    "servegen-deepseek-r1-h10": (["traces/servegen-deepseek-r1-h10.csv.gz"], {"timing": "fitted"}),
    "arxiv-summarization": (["traces/arxiv-summarization.csv.gz"], {}),
    "lmsys-paper": (["paper-cdfs.json#lmsys"], {"output_share": 0.2}),
}


@pytest.mark.parametrize("name", few(SHIPPED, 1))
def test_a_shipped_file_is_what_its_sources_give_byte_for_byte(data, name):
    sources, options = SHIPPED[name]
    origin = library.load(name).origin
    assert all(source in origin.derivation for source in sources)
    built = build_workload([str(data / source) for source in sources], name=name, origin=origin, **options)
    assert library.dump(built) == library.path(name).read_text(encoding="utf-8")


def test_the_order_of_the_sources_does_not_matter_to_the_figures(data):
    sources = [str(data / "raw" / f"AzureLLMInferenceTrace_{one}.csv") for one in ("conv", "code")]
    built, shipped = build_workload(sources, name="x"), library.load("azure-2023-both")
    assert (built.slices, built.arrivals) == (shipped.slices, shipped.arrivals)


def test_an_origin_of_ones_own_is_kept(write):
    path = write('{"format": "length-distribution/1", "kind": "joint", "atoms": [[1, 2, 3]], "licence": "MIT"}')
    assert build_workload([str(path)], name="x").origin.licence == "MIT"
    assert build_workload([str(path)], name="x", origin=Origin(licence="CC0")).origin.licence == "CC0"


def test_no_source_is_refused():
    with pytest.raises(InputError, match="no source is given"):
        build_workload([], name="x")


def test_a_distribution_cannot_be_merged(write):
    sources = [str(write("[[100, 1]]", "a")), str(write(HEADER + "0,1,2\n", "b"))]
    with pytest.raises(InputError, match="cannot be merged with another source"):
        build_workload(sources, name="x", output_share=0.2)


def test_a_distribution_cannot_be_sliced(write):
    with pytest.raises(InputError, match="has no times to slice"):
        build_workload([str(write("[[100, 1]]"))], name="x", output_share=0.2, slices=300.0)


@pytest.mark.parametrize("slices", [0.0, -1.0, float("nan")])
def test_slices_last_some_time(write, slices):
    with pytest.raises(InputError, match="slices must be above zero"):
        build_workload([str(write(HEADER + "0,1,2\n"))], name="x", slices=slices)
