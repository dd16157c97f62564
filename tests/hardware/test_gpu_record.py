"""One GPU's file as a value: what is missing, unknown or impossible is refused by file and key."""

import tomllib

import pytest

from fleettui.errors import InputError, UnknownNameError
from fleettui.hardware import catalog
from fleettui.hardware.gpu_record import NEEDED, OPTIONAL, gpu_from
from fleettui.hardware.records import Record

TEXT = catalog.folder("gpus").joinpath("b200.toml").read_text("utf-8")


def record(**changes: object) -> Record:
    """Return the B200's file with other values, without the keys that are None."""
    values = tomllib.loads(TEXT) | changes
    return Record({key: value for key, value in values.items() if value is not None}, "mine.toml")


def table(**changes: object) -> dict[str, object]:
    return {"value": 1e12, "source": "a page", "confidence": "low"} | changes


@pytest.mark.parametrize("field", NEEDED)
def test_a_table_that_every_plan_needs_is_missed_by_name(field: str) -> None:
    with pytest.raises(InputError, match=rf"mine.toml: table \[{field}\] is missing"):
        gpu_from(record(**{field: None}))


@pytest.mark.parametrize("field", ["name", "vendor", "link"])
def test_a_text_is_missed_by_name(field: str) -> None:
    with pytest.raises(InputError, match=rf"mine.toml: key {field} is missing"):
        gpu_from(record(**{field: None}))


@pytest.mark.parametrize("field", [*NEEDED, *OPTIONAL])
@pytest.mark.parametrize("key", ["value", "source", "confidence"])
def test_a_figure_without_its_source_is_refused(field: str, key: str) -> None:
    bare = {name: item for name, item in table(value=8).items() if name != key}
    with pytest.raises(InputError, match=rf"mine.toml \[{field}\]: (key {key}|{field})"):
        gpu_from(record(**{field: bare}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("memory", 80),
        ("memory", float("nan")),
        ("memory", 10**400),
        ("bandwidth", 3.35),
        ("peak_bf16", -1.0),
        ("peak_fp4", 0),
        ("gpus_per_node", 0),
        ("gpus_per_node", 7.5),
        ("scale_up_domain", 1.5),
        ("idle_power", float("inf")),
        ("peak_bf16", 1e20),
        ("peak_bf16", 989e15),
        ("peak_fp8", 1e18),
        ("bandwidth", 1e15),
        ("link_bandwidth", 450e12),
        ("thermal_design_power", 700_000),
        ("memory", True),
        ("memory", "80e9"),
    ],
)
def test_an_impossible_figure_is_refused(field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"mine.toml \[{field}\]: "):
        gpu_from(record(**{field: table(value=value)}))


def test_what_is_far_beyond_what_any_gpu_has_is_refused_with_what_is_usual() -> None:
    with pytest.raises(InputError) as caught:
        gpu_from(record(bandwidth=table(value=1e15)))
    said = "bandwidth cannot be this (got 1000000000000000.0)\n  accepted: 1e+10 to 1e+14, such as 3.35e12 bytes/s"
    assert str(caught.value).startswith(f"mine.toml [bandwidth]: {said}")
    for field, possible in (*NEEDED.items(), *OPTIONAL.items()):
        found = [value for one in catalog.gpus() if (value := getattr(one, field)) is not None]
        assert 3 * max(found) < possible.high, field


def test_a_link_told_with_both_directions_is_refused() -> None:
    assert gpu_from(record(link_bandwidth=table(value=450e9, two_way=900e9))).link_bandwidth == 450e9
    with pytest.raises(InputError, match=r"mine.toml \[link_bandwidth\]: link_bandwidth is not one way"):
        gpu_from(record(link_bandwidth=table(value=900e9, two_way=900e9)))


@pytest.mark.parametrize(("key", "near"), [("peak_fp6", "peak_fp8"), ("pricing", "price"), ("bandwith", "bandwidth")])
def test_an_unknown_key_says_the_nearest(key: str, near: str) -> None:
    with pytest.raises(InputError, match=rf"mine.toml: unknown key \(got '{key}'\)\n  did you mean {near}"):
        gpu_from(record(**{key: table()}))


@pytest.mark.parametrize("change", [{"idle": -1.0}, {"nominal": 2000.0}, {"idle": 990.0}, {"steepness": 0.0}])
def test_a_curve_above_the_tdp_or_falling_is_refused(change: dict[str, float]) -> None:
    curve = tomllib.loads(TEXT)["power"] | change
    with pytest.raises(InputError, match=r"mine.toml \[power\]: this is no power curve"):
        gpu_from(record(power=curve))


PRICES: tuple[dict[str, object], ...] = (
    {"basis": "cheap"},
    {"posted": 2.5},
    {"posted": [3.0, 2.0]},
    {"posted": [-1.0, 2.0]},
    {"posted": [1.0, "2"]},
)
"""What no class of a price is, and no range of posted ones."""


@pytest.mark.parametrize("change", [{"per_hour": -1}, {"per_hour": None}, {"url": ""}, {"date": 2026}, *PRICES])
def test_a_price_is_an_offer_or_is_left_out(change: dict[str, object]) -> None:
    price = {key: value for key, value in (tomllib.loads(TEXT)["price"] | change).items() if value is not None}
    with pytest.raises(InputError, match=r"mine.toml \[price\]: "):
        gpu_from(record(price=price))
    assert gpu_from(record(price=None)).price is None


def test_what_may_be_left_out_is_not_known() -> None:
    gpu = gpu_from(record(**dict.fromkeys([*OPTIONAL, "searched"])))
    assert all(getattr(gpu, field) is None for field in OPTIONAL)
    assert (gpu.joined, gpu.searched) == (gpu.gpus_per_node, False)


def test_searched_is_a_truth_value() -> None:
    with pytest.raises(InputError, match="key searched is neither true nor false"):
        gpu_from(record(searched="yes"))


def test_kernels_that_stand_in_are_those_of_measured_gpus() -> None:
    assert gpu_from(record(kernels_like=None)).kernels_like == ()
    assert gpu_from(record(kernels_like=["h200", "a100"])).kernels_like == ("h200", "a100")
    with pytest.raises(UnknownNameError, match="unknown GPU with measured kernels"):
        gpu_from(record(kernels_like=["h20"]))
    with pytest.raises(InputError, match="key kernels_like is no list of texts"):
        gpu_from(record(kernels_like="h200"))


SHORT = """\
name = "mine"
vendor = "ACME"
link = "bus"
kernels_like = ["h200"]
source = "a data sheet"
confidence = "medium"
memory = 96e9
bandwidth = 4e12
peak_bf16 = 148e12
link_bandwidth = 450e9
gpus_per_node = 8
thermal_design_power = 400
"""


def test_figures_of_one_source_are_bare_numbers_and_the_papers_watts_a_projection() -> None:
    gpu = gpu_from(Record(tomllib.loads(SHORT), "mine.toml"))
    assert (gpu.memory, gpu.gpus_per_node, gpu.price) == (96e9, 8, None)
    assert {one.source for one in gpu.citations if one.field != "power"} == {"a data sheet"}
    assert (gpu.power.idle, gpu.power.nominal, gpu.power.midpoint, gpu.power.confidence) == (171, 343, 2.0, "low")
    linked = SHORT.replace("link_bandwidth = 450e9", "") + "[link_bandwidth]\nvalue = 450e9\ntwo_way = 900e9\n"
    links = [gpu_from(Record(tomllib.loads(text), "mine.toml")) for text in (linked, linked + 'source = "a page"\n')]
    cited = [next(one for one in gpu.citations if one.field == "link_bandwidth") for gpu in links]
    assert [(one.source, one.confidence) for one in cited] == [("a data sheet", "medium"), ("a page", "medium")]
    price = {key: text for key, text in tomllib.loads(TEXT)["price"].items() if key != "confidence"}
    priced = gpu_from(Record(tomllib.loads(SHORT) | {"price": price}, "mine.toml"))
    assert [one.confidence for one in priced.citations if one.field == "price"] == ["medium"]
    with pytest.raises(InputError, match=r"mine\.toml: bandwidth cannot be this"):
        gpu_from(Record(tomllib.loads(SHORT.replace("4e12", "4.0")), "mine.toml"))
    with pytest.raises(InputError, match=r"mine\.toml: key source is missing"):
        gpu_from(Record(tomllib.loads(SHORT.replace('source = "a data sheet"', "")), "mine.toml"))
