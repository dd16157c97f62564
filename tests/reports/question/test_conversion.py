import dataclasses
from pathlib import Path

import pytest

from fleettui.domain.demand import Demand
from fleettui.domain.digest import digest
from fleettui.domain.failures import Failures, Rack
from fleettui.domain.fleet import FleetSketch, PoolProfile, PoolSketch
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.errors import InputError
from fleettui.reports.question.conversion import Given, merge, parse, summary, to_question, to_texts, to_values
from tests.model_file import quantized
from tests.own_fits import FIT, forget, keep


def given(**texts: str) -> dict[str, Given]:
    names = {name.replace("_", "-"): text for name, text in texts.items()}
    return {name: Given(text, f"--{name}") for name, text in names.items()}


BASE = given(workload="azure-2023-conv", slo_ttft="500ms")


def asked(**texts: str) -> Question:
    return to_question(parse(BASE | given(**texts)))


def test_each_demand_form_in_the_words_of_its_user() -> None:
    assert asked().demand == Demand()
    assert asked(rate="6000/min").demand == Demand(form="rate", rate=100.0)
    users = asked(users="20000", requests_per_user="6/h", peak_factor="2.5").demand
    assert users == Demand(form="users", users=20_000, requests_per_user=6 / 3600, peak_factor=2.5)
    assert asked(tokens="3e9/day").demand == Demand(form="tokens", tokens=3e9 / 86_400)
    loop = asked(concurrency="400", think="20s").demand
    assert loop == Demand(form="concurrency", concurrency=400, think=20.0)


def test_everything_else_lands_in_its_field() -> None:
    question = asked(gpu="H100,a100", price="h100=2.1", max_gpus="h100=40", tp="4,8", percentile="95", context="auto")
    assert question.gpus == ("h100", "a100")
    assert question.prices == (("h100", 2.1),)
    assert question.max_gpus == (("h100", 40),)
    assert question.tp == (4, 8)
    assert question.slo == Slo(ttft=0.5, percentile=0.95)
    assert question.context is None


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ({"rate": "1/s", "users": "5", "requests_per_user": "6/h"}, "--rate and --users: demand is given in two forms"),
        ({"rate": "1/s", "peak_hour": "9%"}, "--peak-hour and --rate: demand is given in two forms"),
        ({"users": "5"}, "--users: this goes with --requests-per-user"),
        ({"peak_factor": "2"}, "--peak-factor: this goes with --users"),
        ({"think": "2s"}, "--think: this goes with --concurrency"),
        ({"prompt": "p50=9,p99=90", "output": "p50=9,p99=90"}, "lengths are given twice"),
        ({"prompt": "p50=9,p99=90"}, "--prompt: this goes with --output"),
    ],
)
def test_what_contradicts_itself_is_refused(texts: dict[str, str], what: str) -> None:
    with pytest.raises(InputError) as caught:
        asked(**texts)
    assert what in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_an_availability_is_a_nodes_unless_said_and_a_gpus_in_questions_that_were_kept_before() -> None:
    assert asked().availability_of == "gpu", "without an availability nothing is said, and the digest stays"
    assert asked(availability="98.7%").availability_of == "node"
    before = asked(availability="98.7%", availability_of="gpu", availability_target="99.9%")
    kept = Question(workload="azure-2023-conv", slo=Slo(ttft=0.5), availability=0.987, availability_target=0.999)
    assert dataclasses.replace(before, step_law="roofline") == kept
    assert digest(kept) == "314d02fc63fa237708c4f1001d6215f5ebe2a1f1beb1395f75193a1ed6770ec4"
    assert to_question(to_values(before)) == before
    assert "availability-of" not in to_texts(asked())


def test_failures_with_their_repair_stand_for_an_availability() -> None:
    found = asked(failures="0.02/node-day", repair="4h")
    assert (found.failures, found.repair) == (Failures(per_day=0.02, of="node"), 14_400.0)
    assert asked(failures="7.3/gpu-yr", repair="2d").failures == Failures(per_day=0.02, of="gpu")
    assert to_question(to_values(found)) == found
    assert to_texts(found)["failures"] == "0.02/node-day"
    assert asked(failures="1/50node-day", repair="4h") == found
    racked = asked(availability="98.7%", rack="4@99.95%")
    assert racked.rack == Rack(nodes=4, up=0.9995)
    assert to_question(to_values(racked)) == racked
    weaker = given(availability="98.7%", availability_of="gpu")
    texts = merge([given(failures="0.02/node-day", repair="4h"), BASE | weaker])
    assert to_question(parse(texts)) == found


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ({"availability": "99%", "failures": "1/node-day", "repair": "4h"}, "leave out --availability, or --failures"),
        ({"failures": "1/node-day"}, "add --repair 4h"),
        ({"repair": "4h"}, "add --failures 0.02/node-day"),
        ({"failures": "0.02", "repair": "4h"}, "failure rate needs a unit"),
        ({"failures": "0.02/day", "repair": "4h"}, "unknown unit of failure rate"),
        ({"failures": "1/60d", "repair": "4h"}, "0.02/node-day, 1/60node-day, 0.002/gpu-day"),
        ({"failures": "1/node-day", "repair": "4"}, "duration needs a unit"),
        ({"failures": "1/node-day", "repair": "4h", "availability_of": "gpu"}, "write the rate as 0.002/gpu-day"),
        ({"availability": "99%", "availability_of": "rack"}, "node, gpu"),
        ({"rack": "4@99.9%"}, "racks go with how often their nodes fail"),
        ({"rack": "4@99.9%", "availability": "99%", "availability_of": "gpu"}, "a rack is one of nodes"),
        ({"rack": "4@99.9%", "failures": "1/gpu-day", "repair": "4h"}, "a rack is one of nodes"),
        ({"rack": "4", "availability": "99%"}, "this is no rack"),
        ({"rack": "4@100%", "availability": "99%"}, "up"),
        ({"rack": "0@99%", "availability": "99%"}, "count must be above zero"),
    ],
)
def test_failures_that_are_said_twice_or_by_half_are_refused(texts: dict[str, str], what: str) -> None:
    with pytest.raises(InputError) as caught:
        asked(**texts)
    assert what in str(caught.value)


def test_a_question_without_workload_or_slo_is_refused() -> None:
    with pytest.raises(InputError, match="no workload is given"):
        to_question(parse(given(slo_ttft="500ms")))
    with pytest.raises(InputError, match="no service level objective"):
        to_question(parse(given(workload="x")))


def test_a_given_fleet_needs_no_slo_but_a_workload() -> None:
    fleet = FleetSketch(pools=(PoolSketch(gpu="h100", model="qwen3-32b", dtype="fp8", tp=2, replicas=1),))
    with pytest.raises(InputError, match=r"(?s)no workload is given.*fleettui simulate fleet\.yaml"):
        to_question(parse(given(slo_ttft="500ms")), fleet)
    question = to_question(parse(BASE), fleet)
    assert (question.model, question.dtype, question.slo) == ("qwen3-32b", "fp8", Slo(ttft=0.5))
    without = to_question(parse(given(workload="x")), fleet)
    assert without.slo.limits() == ()
    assert summary(without) == "x  qwen3-32b fp8  no SLO"


def test_the_proof_that_is_wanted() -> None:
    assert (asked().verify, asked().precision) == (True, 0.05)
    assert (asked(verify="false").verify, asked(precision="2%").precision) == (False, 0.02)
    with pytest.raises(InputError, match="--precision: the share must be below 1 and above 0"):
        asked(precision="0")


def test_the_stronger_layer_wins_key_by_key() -> None:
    merged = merge([given(model="b"), given(model="a", dtype="fp8"), given(dtype="bf16", seed="3")])
    assert {name: one.text for name, one in merged.items()} == {"model": "b", "dtype": "fp8", "seed": "3"}


def test_another_demand_form_replaces_the_weaker_one_whole() -> None:
    file = given(users="5", requests_per_user="6/h", peak_factor="2")
    assert merge([given(rate="1/s"), file]).keys() == {"rate"}
    assert merge([given(peak_factor="3"), file]) == file | given(peak_factor="3")


def test_a_workload_replaces_percentiles_and_the_reverse() -> None:
    percentiles = given(prompt="p50=9,p99=90", output="p50=9,p99=90")
    assert merge([given(workload="x"), percentiles]).keys() == {"workload"}
    assert merge([percentiles, given(workload="x")]).keys() == {"prompt", "output"}


def test_values_of_a_question_make_it_again() -> None:
    question = dataclasses.replace(asked(rate="7/s"), name="spring", splits=(2048,), drop_longer=True)
    assert to_question(to_values(question)) == question


def test_a_fit_is_read_by_its_name_and_brings_its_law() -> None:
    with pytest.raises(InputError, match="--profile: no fit is kept"):
        asked(profile="prod")
    keep()
    found = asked(profile="prod")
    assert (found.fit, found.step_law) == (FIT, "kernels")
    assert to_texts(found)["profile"] == "prod"
    assert parse(given(profile="prod"))["step-law"] == "kernels"
    forget()
    assert to_question(to_values(found)) == found
    keep(dataclasses.replace(FIT, step_law="roofline"))
    assert asked(profile="prod").step_law == "roofline"
    with pytest.raises(InputError, match="the fit prod is of steps by roofline"):
        asked(profile="prod", step_law="kernels")


def test_the_summary_fits_the_title_of_a_screen() -> None:
    assert summary(asked(slo_tpot="50ms")) == "azure-2023-conv  llama-3.1-70b bf16  P99 TTFT<500ms TPOT<50ms"
    assert summary(asked(workload="../data/trace.csv")).startswith("trace.csv  ")
    lengths = to_question(parse(given(prompt="p50=9,p99=90", output="p50=9,p99=90", slo_e2e="30s", percentile="95")))
    assert summary(lengths) == "lengths by percentile  llama-3.1-70b bf16  P95 E2E<30s"


@pytest.mark.parametrize(
    ("model", "dtype"),
    [("llama-3.1-70b", "bf16"), ("deepseek-v3", "fp8"), ("gpt-oss-120b", "mxfp4"), ("of-nobody", "bf16")],
)
def test_an_unsaid_number_format_is_the_published_one(model: str, dtype: str) -> None:
    assert asked(model=model).dtype == dtype
    assert asked(model=model, dtype="int4").dtype == "int4"


def test_the_file_of_a_model_says_its_number_format(tmp_path: Path) -> None:
    file = quantized(tmp_path, {"quant_method": "awq", "bits": 4})
    assert asked(model=str(file)).dtype == "int4"


@pytest.mark.parametrize(("by_kernels", "law"), [(None, "kernels"), (True, "kernels"), (False, "roofline")])
def test_a_fleet_with_step_times_of_its_own_is_known_by_them(by_kernels: bool | None, law: str) -> None:
    """None: its pools have no times, and take those of a new question."""
    own = None
    if by_kernels is not None:
        own = PoolProfile(
            base_step_time=0.01,
            time_per_context_token=4e-8,
            time_per_prompt_token=3e-5,
            kv_blocks=60_000,
            by_kernels=by_kernels,
        )
    fleet = FleetSketch(pools=(PoolSketch(gpu="h100", tp=8, replicas=6, profile=own),))
    assert to_question(parse(given(workload="x")), fleet).step_law == law
    assert to_question(parse(given(workload="x", step_law="kernels")), fleet).step_law == "kernels"
