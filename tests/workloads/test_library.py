from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fleettui.domain.workload import Workload
from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads import library
from fleettui.workloads.synthetic import lognormal_marginals

NAMES = (
    *("agent-heavy-paper", "agent-sessions", "arxiv-summarization", "azure-2023-both", "azure-2023-code"),
    *(
        "azure-2023-conv",
        "azure-paper",
        "lmsys-paper",
        "mooncake-conversation",
        "servegen-deepseek-r1-h02",
        "servegen-deepseek-r1-h10",
    ),
)


def test_the_shipped_names_are_these():
    assert library.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_shipped_file_states_its_origin_and_survives_the_round_trip(name):
    workload = library.load(name)
    assert workload.name == name
    origin = workload.origin
    assert all((origin.source, origin.url, origin.licence, origin.attribution, origin.derivation))
    assert f"-o cdfs/{name}.json --name {name}" in origin.derivation
    assert library.dump(workload) == library.path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-paper")])
def test_joint_files_hold_whole_counts_that_agree_with_their_cdf(name):
    lengths = library.load(name).slices[0].lengths
    assert len(lengths.atoms) <= 2_000
    assert len(lengths.cdf) <= 150
    assert all(count.is_integer() for count, _, _ in lengths.atoms)
    assert sum(count for count, _, _ in lengths.atoms) == lengths.n_samples
    for tokens, fraction in lengths.cdf[:-1]:
        below = sum(count for count, prompt, output in lengths.atoms if prompt + output <= tokens)
        assert below / lengths.n_samples == pytest.approx(fraction, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-paper")])
def test_the_papers_files_are_theirs_with_a_stated_output_share(data, name):
    published = json.loads((data / "paper-cdfs.json").read_text())["cdfs"][name.removesuffix("-paper")]
    lengths = library.load(name).slices[0].lengths
    assert (lengths.kind, lengths.output_share) == ("total", 0.2)
    assert [list(point) for point in lengths.cdf] == published


def test_marginals_and_slices_survive_the_round_trip():
    lengths = lognormal_marginals(((0.5, 900), (0.99, 8000)), ((0.5, 200), (0.99, 1500)))
    part = library.load("azure-2023-code").slices[0]
    other = type(part)(start=3600.0, duration=10.0, rate=None, lengths=lengths)
    workload = Workload(name="two", slices=(part, other), notes=("a note",), dropped=3)
    assert library.parse(library.dump(workload), "two.json") == workload


def test_an_unknown_name_is_told_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean azure-2023-co"):
        library.load("azure-20")


@pytest.mark.parametrize(
    ("change", "place", "accepted"),
    [
        ({"kind": "other"}, "kind is not acceptable", "joint, total, marginals"),
        ({"kind": None}, "kind is missing", "joint, total, marginals"),
        ({"atoms": []}, "at least one atom", ""),
        ({"atoms": [[1, 2]]}, r"atoms\[0\] is not 3 numbers|atoms\[0\] is not a row of 3 numbers", "rows of 3 numbers"),
        ({"atoms": {}}, "atoms is not acceptable", "rows of 3 numbers"),
        ({"atoms": [[1, 2, 3], [1, 0, 3]]}, "atom 1: a request has at least one prompt", ""),
        ({"atoms": [[0, 2, 3]]}, "atom 0: weight must be above zero", ""),
        ({"atoms": [[10**400, 2, 3]]}, "number too large", "rows of 3 numbers"),
        ({"n_samples": -1}, "n_samples is not acceptable", "a whole number"),
        ({"n_samples": 1.5}, "n_samples is not acceptable", "a whole number"),
        ({"n_samples": 10**400}, "n_samples is not acceptable", "a whole number"),
        ({"source": 5}, "source is not acceptable", "text"),
        ({"notes": "x"}, "notes is not acceptable", "a list of texts"),
        ({"stats": []}, "stats is not acceptable", "an object"),
        ({"stats": {"prompt": {"mean": 1}}}, "p50 is missing", "a number"),
        ({"arrivals": {"timing": "guessed"}}, "timing is not acceptable", "recorded, ticks, fitted, none"),
        (
            {"arrivals": {"timing": "none", "dispersion": {"x": 1}}},
            "dispersion is not acceptable",
            "windows in seconds",
        ),
        ({"output_share": 0.2}, "an output share does not belong to joint lengths", "total tokens only"),
        ({"slices": [1]}, "slices is not acceptable", "a list of objects"),
        ({"slices": []}, "at least one time slice", ""),
    ],
)
def test_wrong_fields_are_refused_by_name(change, place, accepted):
    plain = {"format": library.FORMAT, "kind": "joint", "atoms": [[1, 2, 3]]} | change
    with pytest.raises(InputError, match=place) as caught:
        library.parse(json.dumps(plain), "x.json")
    assert accepted in str(caught.value)
    assert str(caught.value).startswith("x.json")


def test_the_given_output_share_wins_over_the_file():
    text = json.dumps({"format": library.FORMAT, "kind": "total", "cdf": [[100, 1]], "output_share": 0.2})
    assert library.parse(text, "x.json").slices[0].lengths.output_share == 0.2
    assert library.parse(text, "x.json", 0.5).slices[0].lengths.output_share == 0.5


def test_reading_a_shipped_file_is_light():
    code = (
        "import sys; from fleettui.workloads import library; library.load('azure-2023-conv');"
        "print([name for name in ('numpy', 'scipy', 'pydantic') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"
