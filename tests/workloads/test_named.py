from __future__ import annotations

import gzip

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads import library
from fleettui.workloads.named import read_workload

NORMALIZED = "arrival_s,input_tokens,output_tokens\n"
AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
MOONCAKE = '{{"timestamp": {}, "input_length": 3, "output_length": 4}}\n'
REQUEST = '{"input_tokens": 3, "output_tokens": 4}\n'

REFUSED = {
    "empty file": ("", "", "the file is empty", "at least one request"),
    "blank file": ("\n\n", "", "the file is empty", "at least one request"),
    "header only": (NORMALIZED, "", "the trace holds no request", "at least one row"),
    "csv without the columns": ("a,b,c\n1,2,3\n", "line 1", "'a,b,c'", "arrival_s,input_tokens,output_tokens"),
    "azure without a column": ("TIMESTAMP,ContextTokens\n", "line 1", "'TIMESTAMP,ContextTokens'", "GeneratedTokens"),
    "negative tokens": (NORMALIZED + "0,1,2\n1,-5,2\n", "line 3", "'-5'", "1, 2, 3"),
    "zero tokens": (NORMALIZED + "0,1,2\n1,5,0\n", "line 3", "'0'", "1, 2, 3"),
    "fractional tokens": (NORMALIZED + "0,1.5,2\n", "line 2", "'1.5'", "1, 2, 3"),
    "tokens that are no number": (NORMALIZED + "0,1,2\n\n1,many,2\n", "line 4", "'many'", "1, 2, 3"),
    "too many tokens": (NORMALIZED + "0,9999999999,2\n", "line 2", "'9999999999'", "2,147,483,647"),
    "tokens in azure": (AZURE + "2023-11-16 18:17:03.9799600,0,10\r\n", "line 2", "'0'", "1, 2, 3"),
    "tokens in json lines": (REQUEST + '{"input_tokens": 0, "output_tokens": 4}\n', "line 2", "got 0", "1, 2, 3"),
    "time that is none": (NORMALIZED + "soon,1,2\n", "line 2", "'soon'", "a number of seconds"),
    "infinite time": (NORMALIZED + "inf,1,2\n", "line 2", "'inf'", "a number of seconds"),
    "date that is none": (AZURE + "2023-02-30 00:00:00,1,10\r\n", "line 2", "'2023-02-30 00:00:00'", "2023-11-16"),
    "time runs backwards": (NORMALIZED + "0,1,2\n5,1,2\n4.5,1,2\n", "line 4", "got 4.5", "5 s or later"),
    "negative time": (NORMALIZED + "-1,1,2\n5,1,2\n", "line 2", "got -1.0", "0 or above"),
    "time too late": (MOONCAKE.format(0) + MOONCAKE.format("1e308"), "line 2", "got 1e+305", "less than 1e+11 seconds"),
    "short row": (NORMALIZED + "0,1,2\n1,1\n", "line 3", "'1,1'", "3 cells"),
    "cut json lines": (REQUEST + '{"input_tokens": 3, "outp', "line 2", "outp", "one complete object per line"),
    "cut json": ('{"format": "length-distribution/1",\n "atoms": [[1, 2,', "line 2", "[[1, 2,", "one complete JSON"),
    "broken json": ("[[100, 0.5],\n [200; 1]]", "line 2", "[200; 1]", "one complete JSON"),
    "long number": (f"[{'9' * 5_000}]", "", "a number is too long", "length-distribution/1"),
    "deep json": ("[" * 100_000, "", "nested too deeply", "length-distribution/1"),
    "unknown version": ('{"format": "length-distribution/2", "cdf": []}', "", "length-distribution/2", '"format"'),
    "cdf falls": ("[[100, 0.5], [200, 0.4], [300, 1]]", "cdf[1]", "0.4", "0.5 or above"),
    "cdf tokens fall": ("[[100, 0.5], [90, 1]]", "cdf[1]", "90", "above 100"),
    "cdf below one": ("[[100, 0.5], [200, 0.9]]", "", "0.9", "a last fraction of 1"),
    "cdf above one": ("[[100, 0.5], [200, 1.2]]", "cdf[1]", "1.2", "fractions from 0 to 1"),
    "cdf in percent": ("[[100, 50], [200, 100]]", "cdf[0]", "50", "fractions from 0 to 1"),
    "cdf with nan": ("[[100, NaN], [200, 1]]", "cdf[0]", "nan", ""),
    "cdf with text": ('[[100, "half"], [200, 1]]', "cdf[0]", "half", "rows of 2 numbers"),
    "cdf empty": ("[]", "", "cdf is empty", "pairs [tokens, cumulative fraction]"),
    "cdf too long": ("[[100, 0.5], [1e12, 1]]", "cdf", "1000000000000.0", "16,777,216 tokens"),
}  # fmt: skip


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_file_place_value_and_what_is_accepted(write, case, zipped):
    content, place, value, accepted = REFUSED[case]
    path = write(content, zipped=zipped)
    with pytest.raises(InputError) as caught:
        read_workload(str(path), output_share=0.2 if content.startswith("[") else None)
    told = str(caught.value)
    first, *rest = told.splitlines()
    assert first.startswith(f"{path}: {place}" if place else str(path))
    assert value in first
    assert accepted in "\n".join(rest)
    assert "got b'" not in told
    assert len(rest) <= 2


def test_a_percent_cdf_says_what_to_do(write):
    with pytest.raises(InputError, match="divide every fraction by 100"):
        read_workload(str(write("[[100, 50], [200, 100]]")), output_share=0.2)


def test_total_lengths_without_output_share_are_refused(write):
    path = write("[[100, 0.5], [200, 1]]")
    with pytest.raises(InputError) as caught:
        read_workload(str(path))
    assert str(caught.value).startswith(str(path))
    assert "--output-share" in str(caught.value)


@pytest.mark.parametrize(
    "content", [NORMALIZED + "0,1,2\n", '{"format": "length-distribution/1", "kind": "joint", "atoms": [[1, 2, 3]]}']
)
def test_an_output_share_for_joint_lengths_is_refused(write, content):
    with pytest.raises(InputError, match=r"an output share does not belong to .*joint lengths"):
        read_workload(str(write(content)), output_share=0.2)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError) as caught:
        read_workload(str(tmp_path / "no.csv"))
    assert f"{tmp_path / 'no.csv'}: there is no such file" in str(caught.value)


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(InputError, match="is a directory"):
        read_workload(str(tmp_path))


def test_binary_noise_is_refused(write):
    path = write(bytes(range(256)) * 10)
    with pytest.raises(InputError) as caught:
        read_workload(str(path))
    assert str(caught.value).startswith(f"{path}: is not text")
    assert "CSV or JSON in UTF-8" in str(caught.value)


@pytest.mark.parametrize("damage", ["cut", "changed", "noise"])
def test_broken_gzip_is_refused(write, damage):
    whole = gzip.compress((NORMALIZED + "".join(f"{i},{i + 1},2\n" for i in range(20_000))).encode())
    broken = {
        "cut": whole[: len(whole) // 2],
        "changed": whole[:2000] + bytes(100) + whole[2100:],
        "noise": b"\x1f\x8b" + bytes(range(100)),
    }
    path = write(broken[damage])
    with pytest.raises(InputError) as caught:
        read_workload(str(path))
    assert str(caught.value).startswith(f"{path}: the gzip data is broken")
    assert "accepted: a complete gzip file" in str(caught.value)


def test_an_unknown_name_is_told_with_the_nearest_and_where_all_stand():
    with pytest.raises(UnknownNameError) as caught:
        read_workload("azure-2023-con")
    assert "fleettui workload list shows them" in str(caught.value)
    assert "did you mean azure-2023-conv?" in str(caught.value)


def test_an_unknown_format_is_refused(write):
    with pytest.raises(UnknownNameError, match="unknown format"):
        read_workload(str(write(REQUEST)), format="parquet")


def test_a_forced_format_is_taken_at_its_word(write):
    with pytest.raises(InputError, match="line 1: the column TIMESTAMP is missing"):
        read_workload(str(write(NORMALIZED + "0,1,2\n")), format="azure")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_trace_becomes_a_joint_workload_named_after_its_file(write, zipped):
    path = write(
        NORMALIZED + "0,10,1\n1,10,1\n4,30,3\n", "my.trace.csv.gz" if zipped else "my.trace.csv", zipped=zipped
    )
    workload = read_workload(str(path))
    assert workload.name == "my.trace"
    assert workload.origin.source == path.name
    lengths = workload.slices[0].lengths
    assert (lengths.kind, lengths.atoms, lengths.n_samples) == ("joint", ((2.0, 10.0, 1.0), (1.0, 30.0, 3.0)), 3)
    assert (workload.arrivals.timing, workload.arrivals.mean_rate, workload.arrivals.duration) == (
        "recorded",
        0.75,
        4.0,
    )


def test_requests_above_a_limit_are_left_out_and_counted(write):
    path = write(NORMALIZED + "0,10,1\n1,90,11\n2,90,10\n3,900,1\n")
    workload = read_workload(str(path), drop_above=100)
    assert workload.dropped == 2
    assert workload.slices[0].lengths.n_samples == 2
    assert workload.notes == ("2 requests longer than 100 tokens were left out",)
    with pytest.raises(InputError, match="all 4 requests are longer than the limit"):
        read_workload(str(path), drop_above=5)


def test_a_shipped_name_is_the_shipped_workload():
    assert read_workload("azure-2023-code") == library.load("azure-2023-code")


def test_a_shipped_workload_drops_at_a_grid_point_what_the_trace_would(data):
    shipped = read_workload("azure-2023-conv", drop_above=4096)
    traced = read_workload(str(data / "traces" / "azure-2023-conv.csv.gz"), drop_above=4096)
    assert shipped.dropped == traced.dropped > 0
    assert shipped.slices[0].lengths.n_samples == traced.slices[0].lengths.n_samples


def test_one_of_several_distributions_is_picked_by_name(write):
    path = write('{"cdfs": {"a": [[100, 1]], "b": [[200, 1]]}}', "many.json")
    workload = read_workload(f"{path}#b", output_share=0.5)
    assert (workload.name, workload.slices[0].lengths.cdf) == ("b", ((200.0, 1.0),))
    with pytest.raises(InputError, match="holds several distributions"):
        read_workload(str(path), output_share=0.5)
    with pytest.raises(UnknownNameError, match="unknown distribution"):
        read_workload(f"{path}#c", output_share=0.5)
    with pytest.raises(InputError, match="holds one distribution"):
        read_workload(f"{write('[[100, 1]]', 'one.json')}#c", output_share=0.5)
