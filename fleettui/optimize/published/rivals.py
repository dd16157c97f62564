"""Other planners in their own figures: errors that are reported of them, constants that they publish, and public runs.

Seconds and shares, each with its source. A step of a `Regression` is base + prompt_token·x + decode·n for x prompt
tokens beside n sequences that decode; `streamed` comes on top of the time of every output token.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleettui.domain.dtype import Dtype, Units

BLIS, PAPERS = "BLIS, fitted per server", "inference-fleet-sim"
BLIS_SOURCE = "github.com/inference-sim/inference-sim, defaults.yaml at 1a6eb35 (vLLM 0.8.4 and 0.10.1)"
COMPARED = (
    "inference-sim's comparison of simulators, docs/blog/posts/inference-simulator-showdown.md (pull request 944)"
)
GATHERED = "gathered from public reports in 2026; the page was not read again"
SAMPLE = "AIConfigurator's silicon sample (Apache-2.0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An error that is reported of a planner: of what, as shares from `error` to `most`, on which runs, and where."""

    planner: str
    metric: str
    error: float
    most: float | None = None
    runs: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A planner's step of one server; `model` is the catalogue's, or another's whose `parameters` work on a token.

    Its matrices multiply in `units`; `base` and what follows are seconds.
    """

    model: str
    tp: int
    base: float
    prompt_token: float
    decode: float
    streamed: float
    dtype: Dtype = "bf16"
    units: Units = "bf16"
    parameters: float | None = None

    def token(self, clients: int, prompt: int, output: int) -> float:
        """Return the mean seconds between output tokens in a steady loop: each step takes in its share of prompts."""
        share = clients * prompt / output
        return self.base + self.decode * clients + self.prompt_token * share + self.streamed


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicRun:
    """A measured closed loop of Llama-3.1-70B in fp8 on H100 under vLLM that starts all at once: mean seconds."""

    tp: int
    prompt: int
    output: int
    clients: int
    ttft: float
    tpot: float


CLAIMS = (
    Claim(planner="BLIS, evolved", metric="mean E2E", error=0.232, runs="its own", source=GATHERED),
    Claim(
        planner="BLIS, evolved",
        metric="E2E, median of runs",
        error=0.1179,
        runs="38 of its own, of vLLM 0.15.1",
        source=COMPARED,
    ),
    Claim(planner="BLIS, evolved", metric="TTFT, median of runs", error=0.2281, runs="the same 38", source=COMPARED),
    Claim(
        planner="AIConfigurator",
        metric="mean E2E",
        error=0.172,
        runs="its own",
        source=GATHERED,
    ),
    Claim(
        planner="Vidur",
        metric="mean E2E",
        error=0.089,
        runs="4",
        source=GATHERED,
    ),
    Claim(
        planner="Vidur",
        metric="E2E, median of runs",
        error=6.19,
        runs="the same, as the comparison prints it",
        source=COMPARED,
    ),
    Claim(planner="LLMServingSim", metric="E2E", error=0.76, runs="1 of the 38: Mixtral-8x7B", source=COMPARED),
    Claim(
        planner="AISimulate",
        metric="mean TTFT",
        error=0.135,
        most=0.157,
        runs="one configuration, its daily campaign",
        source=f"github.com/ai-dynamo/aisimulate, daily campaigns; {GATHERED}",
    ),
    Claim(
        planner="AISimulate",
        metric="mean TPOT",
        error=0.028,
        most=0.052,
        runs="the same",
        source=f"github.com/ai-dynamo/aisimulate, daily campaigns; {GATHERED}",
    ),
)
"""What is reported of other planners; each has its own set, so no two compare."""


def _blis(
    model: str,
    tp: int,
    microseconds: tuple[float, float, float, float],
    *,
    dtype: Dtype = "bf16",
    units: Units = "bf16",
    parameters: float | None = None,
) -> Regression:
    """Return a server of BLIS from its beta coefficients and alpha 2, which are microseconds."""
    base, prompt_token, decode, streamed = (value * 1e-6 for value in microseconds)
    return Regression(
        model=model,
        tp=tp,
        base=base,
        prompt_token=prompt_token,
        decode=decode,
        streamed=streamed,
        dtype=dtype,
        units=units,
        parameters=parameters,
    )


BLIS_SERVERS = (
    _blis("llama-3.1-8b", 1, (5752.7052, 17.25086, 5.999144, 3357.440)),
    _blis("llama-3.1-8b", 2, (6910.4205, 17.67057, 2.837747, 1805.543)),
    _blis("llama-3.1-8b", 4, (41.806477, 11.86104, 5.909957, 6001.151)),
    _blis("llama-3.3-70b", 4, (12601.271, 76.42284, 66.84396, 11511.443)),
    _blis("llama-3.3-70b", 8, (14140.825, 10.025593, 19.401641, 112.29325)),
    _blis("llama-3.1-70b", 2, (3570.4563, 117.47615, 11.646711, 19570.874), dtype="fp8", units="fp8"),
    _blis("llama-3.1-70b", 4, (13613.686, 62.88264, 17.396518, 15653.832), dtype="fp8", units="fp8"),
    _blis("mixtral-8x7b", 2, (12616.331, 29.98066, 29.72540, 29675.092)),
    _blis("mixtral-8x7b", 4, (3648.0491, 3.410684, 515.84363, 2141.986)),
    _blis("gpt-oss-20b", 2, (2480.7412, 6.017949, 316.21826, 35.20005), dtype="mxfp4"),
    _blis("granite-3.1-8b", 1, (8721.0448, 4.483159, 0.5577916, 2026.846), parameters=8.17e9),
    _blis("qwen2.5-7b", 4, (613.42186, 0.05982609, 228.69750, 6451.548), dtype="fp8", units="fp8", parameters=7.61e9),
)
"""Servers on H100 as BLIS fitted them; those of Llama-3.1-70B in fp8 are its fit to Nemotron-70B, the same shapes."""

PUBLIC_RUNS = tuple(
    PublicRun(tp=tp, prompt=prompt, output=1024, clients=clients, ttft=ttft / 1e3, tpot=tpot / 1e3)
    for tp, prompt, clients, ttft, tpot in (
        (2, 1024, 4, 121, 17.4),
        (2, 1024, 16, 253, 19.7),
        (2, 1024, 64, 415, 28.8),
        (4, 1024, 4, 81, 11.8),
        (4, 1024, 16, 121, 13.2),
        (4, 1024, 64, 256, 19.5),
        (8, 1024, 4, 70, 9.1),
        (8, 1024, 16, 93, 11.4),
        (8, 1024, 64, 185, 15.5),
        (2, 8192, 4, 738, 20.6),
        (2, 8192, 16, 1284, 34.6),
        (8, 8192, 4, 301, 10.2),
        (8, 8192, 16, 483, 15.9),
        (8, 8192, 64, 1150, 34.5),
    )
)
"""Figures of SAMPLE."""
