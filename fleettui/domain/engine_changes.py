"""What each engine version computes differently from the one before."""

from __future__ import annotations

from collections.abc import Mapping

CHANGES: Mapping[int, str] = {
    4: "the model's error is a band by what is known of the hardware, in place of 25 % either way",
    5: "by measured kernels a step takes the whole table, and not a line through it",
    6: "SGLang runs prompts in steps of their own; by measured kernels steps take what public runs of a server took",
    7: "output tokens wait for each other in an API process, which limits a replica of TensorRT-LLM or SGLang",
    8: "what GPUs draw follows from what they do, and idle ones draw what was measured of idle ones",
    9: "what caches of prefixes find is by formula what their memory and the router leave, no longer all there is",
    10: "GPUs draw what arithmetic and bytes take, as measured: more for long contexts, less for few requests",
    11: "ranges of GPUs are wider where TTFT limits, as waits behind others are doubted more than steps; the GPUs of a "
    "replica that divide the sequences among them step together, and wait for the longest step",
    12: "by measured kernels what a step takes for each sequence is sampling, longer the larger the vocabulary is; "
    "with it, what GPUs draw is fitted anew",
    13: "steps of replicas that only prefill are longer, as published ones' are; GPUs that divide the sequences among "
    "them have dense layers and shared experts whole; SGLang's latent prompts take what kernels do that expand keys",
    14: "vLLM plans a step while the one before runs, as it has since 0.14: steps of many sequences are shorter; "
    "--engine vllm-0.13 is the one before, which earlier plans are of",
    15: "on B200 and its like products of FP8 blocks, as of DeepSeek-V3, take for up to 128 tokens no longer than for "
    "more, as engines find a faster way by trying: steps of few sequences are shorter; --parallel all tries lanes of "
    "several GPUs, too; behind router class pools are sized by what they are sent",
    16: "attention of many sequences with more context than was measured for so many is as that of fewer with as much: "
    "steps of large batches are shorter; TensorRT-LLM as benchmark submissions set it has norms within products",
    17: "shared experts run beside the routed ones; prompts of models with latent attention, as DeepSeek-V3, take as "
    "long as published runs had them on H200, B200 and AMD's GPUs, and steps on the latter; layers and front end of "
    "TensorRT-LLM are shorter on B200 and its like",
    18: "TensorRT-LLM as benchmark submissions set it quantizes within what is before a product, with which measured "
    "products begin: steps of many sequences in fp8 and nvfp4 are 3 to 5 % shorter",
    19: "by formula prompts come in part of the steps, as the chain of short and long steps has it: batches of many "
    "requests are smaller and nearer to those simulated, most of all where prompts have a least time, "
    "which long prompts are no longer charged over and over: their TTFT is shorter",
    20: "by formula prompts wait for the steps that others' prompts make long, and not where a replica is free, and "
    "few tokens feel the prompts that come in their steps: P99 TTFT and TPOT are nearer to those simulated, "
    "TPOT of short outputs two to three times as long",
    21: "by formula a long prompt takes what its own attention and its own long steps take, not what as many tokens of "
    "mean prompts do: P99 TTFT of lightly loaded pools is up to 15 % longer, as simulated; few tokens in whose steps "
    "long prompts come are slower than a normal law has them: P99 TPOT of short outputs is some 20 % longer; "
    "of fleets that differ in splits alone four are kept before others, and up to 18 are simulated (12)",
    22: "hardware that is set aside, since much less is known of it, leaves room for other fleets in a search; where "
    "formulas were seen to be short, larger sizes are tried that would hold if that fell off faster; of fleets that "
    "could be cheaper the likeliest is simulated first, and fewer are left out: some answers are cheaper; "
    "the formula of waits of prompts that run alone settles where their steps are shorter than those of decodes",
    23: "of fleets that cost as much, as those that differ in splits alone, the one whose busiest pool is least busy "
    "goes first: it has more left below its limits, and some answers are cheaper; "
    "the greatest rate that a fleet holds is a rung of one ladder, 2 % apart, at whatever rate it is asked about, "
    "and was a share of that: it moves by up to 2 %; of bursty traffic it is simulated more often; "
    "experts whose weights alone are in int8 or int4 take what bf16's take less what their bytes save, unless such "
    "were measured; those in fp8 under vLLM on H100 take what H200's took, two to four times less",
    24: "SGLang and TensorRT-LLM take the memory that they take as they come, and had vLLM's 90 %: caches of SGLang "
    "are smaller on most GPUs, those of TensorRT-LLM larger; as benchmark submissions set them engines take what those "
    "took; lanes of SGLang share the tokens of a step; where a stretch of rates above those that a fleet holds is not "
    "proven, the greatest rate is told in four rungs, with where that ends; two rates that fail by a hair no longer "
    "lead the search for it far below; "
    "a fleet for a wished confidence is as sure as its looks tell: one that was found to be is kept, and the last "
    "that was tried is no answer unless it is; sweeps size for it as plans and steps do; "
    "what posted prices turn to is as sure, too, and a number format that no asked GPU knows decides nothing; "
    "token budgets that are left to the search are no dearer than the engine's own; "
    "of a joint plan's fleets that cost as much the least busy goes first, as of a plan's",
    25: "TensorRT-LLM as it comes has prompts whole: each waits until a step has room for all of it, and one longer "
    "than a step's tokens is refused; --prompt-steps mixed cuts them, as before; "
    "with how many like these a fleet is as good as sure, and its range of sizes, are told by its own proof and one "
    "look at so many: the same for one fleet, whatever else was simulated; "
    "caches are counted in each engine's own blocks, of 1 token under SGLang and 32 under TensorRT-LLM; all had 16; "
    "a rate at which short runs leave open whether a fleet holds is run for as long as a proof: fleets hold to higher "
    "rates, and less of what lies above is not proven; "
    "a limit on cost, power or GPUs that a fleet keeps as simulated, and none by formula, is met: no fleet was found",
    26: "fleets of two pools divide between the points of a search's grid, too, where cheaper ones failed: some "
    "answers cost less; with how many like these a fleet is as good as sure is what so many show themselves; "
    "what stands beside a proven answer (the best of other GPUs, what posted prices turn to) is simulated; growth and "
    "steps count what is kept with their plan and what they look at, not what other studies had simulated",
    27: "another division of a fleet is tried before many runs finish what is open beside an answer: some answers of "
    "two pools divide elsewhere; past a stock the best fleet within the others is simulated too, and divides more "
    "finely: some plans, most of them joint ones, had none; "
    "what is as good as sure may be of hardware that is set aside, as where that is wished; "
    "where nothing holds that is known as well as the formulas' choice, what was set aside for it is simulated: "
    "some questions have an answer that had none, or a cheaper one; "
    "of fleets of two pools a search chooses from twice as many",
    28: "for a wished confidence fleets of several pools divide where steps as long as that asks for take least: some "
    "answers are cheaper, and some questions have one that had none; "
    "a plan without a fleet is told of weights in fp8 and of two settings at once where no setting alone does, and of "
    "the usual GPUs by more looks: some said that none would do; "
    "of fleets of the same GPUs that cost as much one of fewer pools is looked at, and is the answer where it is as "
    "sure: some answers had two pools; "
    "what stands beside an answer is run for as long as a proof where short runs leave open whether it holds: some of "
    "it costs less; "
    "where fleets of two pools divide is looked at beside all that failed, and again by what failed there: some "
    "answers cost less; "
    "what GPUs cost at the slower end of their error is the least of all fleets of these: some that were set aside are "
    "the answer; of fleets that cost as much more are asked to be surer",
    29: "what stands beside an answer is run for as long as a proof where a mean of short runs is past a limit, which "
    "its interval includes, and until it is proven: some of it costs less; "
    "whole nodes that an answer pays for are filled: some answers have more GPUs for as much, and are surer; "
    "what was set aside since it is cheaper within its error alone is asked of again beside what holds as simulated: "
    "some of it is the answer; what it costs up to is what a fleet costs; "
    "spare replicas stand on as many nodes as take fewest GPUs, unless whole nodes are paid for: fleets cost less; "
    "what is best without an answer's GPUs is searched for among fleets that the formulas refuse, too: some of it "
    "costs less, or at most as much; "
    "for a wished confidence those that might save most are looked at, and one of fewer pools that costs as much and "
    "is as sure is the answer: some answers are cheaper; a search for it goes on while none of its fleets is as sure, "
    "of other main pools first: some questions have an answer that had none; "
    "by formula prompts wait for the tokens of a step, too: TTFT at small budgets is longer there, and searches begin "
    "elsewhere; "
    "a given fleet that fails is told, too, at which other length its pools hold, and which GPUs of one type do alone; "
    "between fleets of two pools one of which fails each, every split is looked at: some answers cost less; "
    "what is set aside costs more at the slower end of its error than what holds does at the slower end of its own, "
    "where it was held to what that costs as predicted: some of it is the answer",
    30: "for a wished confidence fleets that were not begun are looked at before none is found, in joint plans "
    "those that are best at the longer steps, too: some answers are cheaper, and some questions have one that had "
    "none; how sure a fleet is, its other sizes and rates count the bursts of its own rate: such are less sure; "
    "pools of a given fleet by formula meet their part of all bursts; "
    "what is set aside costs more to be 90 % sure than what is known better does, where both were compared at the "
    "slower ends of their errors: some of it is the answer; "
    "settings left to the search are simulated, too, whose formula is below what holds with the first: some answers "
    "cost less; where two pools divide is looked at beside the best that holds, too: some answers cost less or divide "
    "elsewhere; "
    "a fleet of one pool is tried where it would save little, too, and its replicas beside others: some answers cost "
    "less; "
    "what of a given fleet is spare is run for as long as a proof where short runs leave it open, and at more sizes: "
    "more is spare, and less of it by formula; "
    "in joint plans, too, the surest of the fleets that cost as much is the answer: some divide otherwise",
    31: "what lies at a limit where two pools divide more finely no longer ends the search for more such: some answers "
    "cost less; "
    "what is known less is no answer where what is known better costs less to be 90 % sure, as simulated, too, unless "
    "it is cheaper and clearly surer than that: some answers cost more, and are surer; "
    "of two pools, too, replicas that no fleet tried is mostly of are tried where formulas have them near the answer: "
    "some answers cost less; "
    "of pools in several number formats it is told again what other inputs decide; "
    "beside a given fleet another division of its GPUs is told to be 90 % sure where its own runs show it; "
    "the rate that a fleet holds in most of the cases is followed until no look moves it: some are higher; "
    "of token budgets that are advised the one that takes least as simulated is planned with where they are left to "
    "the search: some answers cost less; "
    "of the usual GPUs what the formulas choose for a plan is told where no fleet holds, though it is known less: some "
    "of it costs less; "
    "with how many like these a fleet is as good as sure is looked for down to what has too few: some take fewer",
    32: "beside fleets that fail by little, and pairs of replicas that are little dearer by formula, more places are "
    "looked at where two pools divide, and of one pool what the "
    "formulas have farther off is tried where it would save much; for a wished confidence other shapes are looked at "
    "that are nearly as sure by formula: some answers cost less",
    33: "what is known less and is the answer divides more finely, too: some answers cost less; of what is known better"
    " the best is looked for among that alone: some answers cost less, and others are of it; "
    "the best of all by formula is tried, whatever others showed, and of pairs of replicas that are little dearer one "
    "fleet each is looked beside: some answers cost less; "
    "what is known less and was simulated to cost less than the answer is told where the formulas' choice of it failed",
}
"""By version, for those who read a plan of an earlier one; versions without a line changed numbers everywhere."""


def changes_since(version: int) -> tuple[str, ...]:
    """Return what the engines after `version` changed, the earliest first.

    >>> changes_since(9)[:2] == (CHANGES[10], CHANGES[11])
    True
    """
    return tuple(told for since, told in sorted(CHANGES.items()) if since > version)
