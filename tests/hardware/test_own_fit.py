"""Steps by a fit: what it multiplies and adds, held to the arithmetic and to the fit's own predictions."""

from dataclasses import replace
from typing import Any

import pytest

from fleettui.domain.calibration import ServerFit, StepTerms
from fleettui.domain.hardware import Profile, StepLaw
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.calibration import by_formula, predicted
from fleettui.hardware.own_fit import fitted, fitted_step
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.validation import loop_of
from tests.hardware.fitted_runs import POINT
from tests.own_fits import FIT, SERVER

LAWS: tuple[StepLaw, ...] = ("kernels", "roofline")
STEPS: tuple[dict[str, Any], ...] = (
    {"decodes": 1, "context_tokens": 100},
    {"decodes": 64, "context_tokens": 64_000},
    {"decodes": 700, "context_tokens": 900_000},
    {"decodes": 32, "context_tokens": 30_000, "prompt_tokens": 8000, "attention_pairs": 8000 * 500, "prompts": 8},
)
MIXED = STEPS[3]


def profile(law: StepLaw = "kernels", tp: int = 4) -> Profile:
    return build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="fp8", tp=tp, step_law=law)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("step", STEPS)
def test_a_step_takes_so_many_times_the_laws_and_so_much_more(law: StepLaw, step: dict[str, Any]) -> None:
    plain = profile(law).step
    own = step_time(fitted_step(plain, SERVER.terms, 64), **step)
    assert float(own) == pytest.approx(1.2 * float(step_time(plain, **step)) + 0.002, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_the_reading_of_context_counts_by_its_slope(law: StepLaw) -> None:
    plain = profile(law).step
    step = fitted_step(plain, StepTerms(context_slope=1.5), 64)
    read = STEPS[1]
    unread = {**read, "context_tokens": 0}
    assert float(step_time(step, **unread)) == pytest.approx(float(step_time(plain, **unread)))
    added = [float(step_time(one, **read) - step_time(one, **unread)) for one in (plain, step)]
    assert added[1] == pytest.approx(1.5 * added[0])


@pytest.mark.parametrize("law", LAWS)
def test_what_prompts_add_counts_by_their_slope(law: StepLaw) -> None:
    """By the roofline a step with prompts was bound by reading weights first, of which no slope is."""
    plain = profile(law).step
    step = fitted_step(plain, StepTerms(prompt_slope=1.3), 64)
    alone = {"decodes": 32, "context_tokens": 30_000}
    assert float(step_time(step, **alone)) == pytest.approx(float(step_time(plain, **alone)))
    added = [float(step_time(one, **MIXED) - step_time(one, **alone)) for one in (plain, step)]
    assert added[1] == pytest.approx(1.3 * added[0], rel=0.01 if law == "kernels" else 0.02)


@pytest.mark.parametrize(
    ("slopes", "within"), [({}, 1e-9), ({"context_slope": 1.4}, 1e-9), ({"prompt_slope": 1.3}, 0.02)]
)
@pytest.mark.parametrize("clients", [1, 16, 64])
def test_a_closed_loop_by_the_step_is_what_the_fit_predicts(
    slopes: dict[str, float], within: float, clients: int
) -> None:
    own: ServerFit = replace(SERVER, **slopes)  # type: ignore[arg-type]  # mypy takes the dict for every field
    point = replace(POINT, concurrency=clients)
    loop, _ = loop_of(point, "kernels")
    by_step = replace(loop, cost=fitted_step(loop.cost, own.terms, 64)).tpot()
    assert by_step == pytest.approx(predicted(by_formula("kernels")(point)[1](), own), rel=within)


def test_a_profile_of_the_fits_server_is_the_fits() -> None:
    plain = profile()
    own = fitted(plain, FIT, engine="vllm", front_end=None)
    assert own.step == fitted_step(plain.step, SERVER.terms, 64)
    assert (own.front_end, own.evidence) == (0.031, "own fit prod")
    assert own.band == pytest.approx((1 / 1.25, 1 / 0.75))  # predicted is within 25 % of what is measured
    assert own.model_error == pytest.approx(1 / 3)
    assert own.kv_blocks == plain.kv_blocks
    cited = {one.field: one for one in own.citations}
    assert cited["band"].source == (
        "own fit prod: 10 runs of llama-3.1-70b fp8 on 4 h100 under vllm (bench.json, sha256 abababababab)"
    )
    assert cited["band"] == replace(cited["step"], field="band") == replace(cited["engine.front_end"], field="band")
    assert sum(one.field == "band" for one in own.citations) == 1


def test_other_servers_keep_theirs() -> None:
    for other, engine in ((profile(tp=8), "vllm"), (profile(), "sglang")):
        assert fitted(other, FIT, engine=engine, front_end=None) is other


def test_a_front_end_that_is_given_stays_and_one_that_is_not_known_is_the_engines() -> None:
    given = replace(profile(), front_end=0.01)
    assert fitted(given, FIT, engine="vllm", front_end=0.01).front_end == 0.01
    unknown = replace(FIT, servers=(replace(SERVER, front_end=None),))
    assert fitted(profile(), unknown, engine="vllm", front_end=None).front_end == profile().front_end


def test_a_fit_that_is_no_server_is_refused() -> None:
    impossible = (
        (replace(SERVER, band=1.0), "too uncertain"),
        # 69.5 GB of weights in fp8, over 4 x 3.35 TB/s
        (replace(SERVER, constant=-0.012), r"one token is faster .* at least 5\.19 for llama-3\.1-70b fp8 on 4 h100"),
        (replace(SERVER, factor=0.9, context_slope=0.1), "a full cache is faster"),
        (replace(SERVER, prompt_slope=0.2), "prompts is faster"),
    )
    for server, what in impossible:
        with pytest.raises(InputError, match=what):
            fitted(profile(), replace(FIT, servers=(server,)), engine="vllm", front_end=None)
