import dataclasses

import pytest

from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.scenario import Question, Slo
from fleettui.reports.plan_text import plan_text

EXPECTED = """\
azure-2023-conv  llama-3.1-70b fp8  P99 TTFT<500ms TPOT<50ms
demand  100 requests/s, as given

PASS by formula   24 H100   $71/h   $622K/yr   $0.31 per 1M output tokens at
this rate
limits  P99 TTFT 12% left   P99 TPOT 32% left   budget 29% left   power 65% left
        H100 24 of 40   draws 14.0 kW
proof   formula only: not simulated
model   roofline, not calibrated: +-25%  ->  between 22 and 30 GPUs

pool   GPUs             req/s  busy  MFU  P99 TTFT  P99 TPOT  limited by
short  16 H100 tp4 x 4   91.7   .81  .44    0.41 s     34 ms  prefill compute
long   8 H100 tp4 x 2    8.30   .81  .44    0.44 s     34 ms  KV memory
requests by total tokens: short up to 4,096, long up to 16,384

why     one replica less: short .93 busy, TTFT 1.9 s, fails
        one pool instead of two: the same GPUs

candidates 2 of 3, cheapest first, the best split of each
  name  fleet                 GPUs    $/h  proof       TTFT    TPOT  left
> 41a7  H100 tp4 x4 + tp4 x2    24  71.00  formula  ~0.44 s  ~34 ms  ~12%
  41b3  MI300X tp4 x5           20  59.00  formula  ~0.52 s  ~34 ms    no
~ by formula, not simulated

! the arrivals are burstier than Poisson: variance over mean 16 at 60 s, and
  real waits are longer

plan 9f3c "chat"   again: fleettui show 9f3c   as data: with --json
each number's reason: fleettui why 9f3c   what if: fleettui whatif 9f3c --help"""


PROVEN = """\
azure-2023-conv  llama-3.1-70b fp8  P99 TTFT<500ms TPOT<50ms
demand  100 requests/s, as given

PASS   24 H100   $71/h   $622K/yr   $0.31 per 1M output tokens at this rate
limits  P99 TTFT 11% left   P99 TPOT 30% left   budget 29% left   power 65% left
        H100 24 of 40   draws 14.0 kW
proof   12 runs, 400,000 requests, P99 TTFT 0.44 s +-0.9%, P99 TPOT 34 ms +-3%
        every limit holds in every pool
model   roofline, not calibrated: +-25%  ->  between 22 and 30 GPUs

pool   GPUs             req/s  limited by
short  16 H100 tp4 x 4   91.7  prefill compute
long   8 H100 tp4 x 2    8.30  KV memory
requests by total tokens: short up to 4,096, long up to 16,384

pool   known by   busy  batch  MFU  P99 TTFT       P99 TPOT
short  formula     .81    133  .44  0.41 s          34 ms
       simulated   .80    131  .43  0.44 s +-0.9%   34 ms +-3%
long   formula     .81    133  .44  0.44 s          34 ms
       simulated   .80    131  .43  0.44 s +-0.9%   34 ms +-3%

why     one replica less: short .93 busy, TTFT 1.9 s, fails
        one pool instead of two: the same GPUs

candidates 2 of 2, cheapest first, the best split of each
  name  fleet                 GPUs    $/h  proof        TTFT   TPOT  left
> 41a7  H100 tp4 x4 + tp4 x2    24  71.00  simulated  0.44 s  34 ms   11%
  41b3  MI300X tp4 x5           20  59.00  fails      0.44 s  34 ms    no

plan 9f3c "chat"   again: fleettui show 9f3c   as data: with --json
each number's reason: fleettui why 9f3c   what if: fleettui whatif 9f3c --help"""


def test_the_whole_plan(answer: Answer, question: Question) -> None:
    assert plan_text(answer, question) == EXPECTED


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(answer: Answer, infeasible: Answer, question: Question, width: int) -> None:
    for one in (answer, infeasible):
        assert max(map(len, plan_text(one, question, width).splitlines())) <= width


def test_a_plan_fits_a_screen_and_a_half(answer: Answer, question: Question) -> None:
    assert len(plan_text(answer, question).splitlines()) <= 40


def test_infeasible_tells_the_nearest_and_what_it_breaks(infeasible: Answer, question: Question) -> None:
    text = plan_text(infeasible, question)
    assert "INFEASIBLE   no fleet holds every limit; the nearest are below" in text
    assert "41b3    P99 TTFT 0.52 s is above 500ms" in text
    assert "a budget of $75.62/h would do" in text
    assert "PASS" not in text


def test_a_limit_on_the_whole_answer_gets_its_column(answer: Answer, question: Question) -> None:
    text = plan_text(answer, dataclasses.replace(question, slo=Slo(e2e=30.0, percentile=0.95)))
    assert "P95 E2E 70% left" in text
    assert "P95 TTFT  P95 TPOT  P95 E2E" in text


def test_the_whole_proven_plan(answer: Answer, proven: Candidate, failed: Candidate, question: Question) -> None:
    shown = dataclasses.replace(answer, answer=proven, candidates=(proven, failed), warnings=())
    assert plan_text(shown, question) == PROVEN


@pytest.mark.parametrize("width", [40, 60, 79, 80, 120])
@pytest.mark.parametrize("slo", [Slo(ttft=0.5), Slo(ttft=0.5, e2e=9.35, percentile=0.999)])
def test_no_line_of_a_simulated_plan_is_wider_either(
    answer: Answer, unproven: Candidate, failed: Candidate, question: Question, width: int, slo: Slo
) -> None:
    shown = dataclasses.replace(answer, verdict="unproven", answer=unproven, candidates=(unproven, failed))
    text = plan_text(shown, dataclasses.replace(question, slo=slo), width)
    assert max(map(len, text.splitlines())) <= width
    joined = " ".join(text.split())
    assert "0.44 s +-15%" in joined
    assert "not proven" in joined


def test_what_is_not_proven_says_why_and_what_to_type(answer: Answer, unproven: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(answer, verdict="unproven", answer=unproven), question)
    assert "NOT PROVEN   24 H100" in text
    assert "        TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s" in text
    # its 12 runs are all that are made of it
    assert text.splitlines()[-2:] == [
        "more runs would not tell, it lies at its limit: take a replica more, or plan",
        "with --headroom 1%",
    ]
    assert unproven.evidence is not None
    begun = dataclasses.replace(unproven, evidence=dataclasses.replace(unproven.evidence, replications=4))
    text = plan_text(dataclasses.replace(answer, verdict="unproven", answer=begun), question)
    assert text.splitlines()[-1] == "more proof: fleettui verify 41a7"


def test_a_failed_fleet_is_told_with_its_reason(answer: Answer, failed: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(answer, verdict="fail", answer=failed, candidates=(failed,)), question)
    assert "FAIL   20 MI300X" in text
    assert "TTFT of pool all: 0.443 s [0.416, 0.470] above 0.4 s" in text
    assert failed.evidence is not None
    again = dataclasses.replace(answer, verdict="fail", answer=failed, why=(failed.evidence.reason,), candidates=())
    assert plan_text(again, question).count(failed.evidence.reason) == 1
    assert "candidates" not in text
    assert "more proof" not in text


def test_nothing_proven_is_not_nothing_found(infeasible: Answer, unproven: Candidate, question: Question) -> None:
    text = plan_text(dataclasses.replace(infeasible, verdict="unproven", candidates=(unproven,)), question)
    assert "NOT PROVEN   no fleet is proven to hold every limit; the nearest are below" in text
    assert "41a7    TTFT of pool short: 0.443 s [0.376, 0.510] around 0.5 s" in text
