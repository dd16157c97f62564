"""What a cap on the power of each GPU makes of a replica: slower clocks, so longer steps, and what it then draws.

A capped GPU lowers its clock until it draws no more than the cap; what it draws beyond idle grows with a power of the
clock between 2 and 3, so that the clock is ((cap − idle)/(draw − idle))^EXPONENT of its own, 1 where the cap is above
the draw. Arithmetic slows by the clock under steps full of prompts. Reads do not, until the cap is below what steps of
decodes draw, and then by the clock under these.
"""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.hardware import Citation, Profile
from fleettui.domain.power_law import PowerCap, PowerLaw
from fleettui.errors import InputError
from fleettui.hardware.power import working_power
from fleettui.hardware.step_cost import rescaled, step_time, touched_share

EXPONENT = 0.4
"""Between 1/3 and 1/2, as clocks and voltages that fall together give."""
SEQUENCES, TOKENS, CHUNK = 32, 2048, 2048
"""The step of decodes and the step of a prompt by whose draws a cap is judged."""
SOURCE = (
    "the clock as the power 1/3 to 1/2 of what is drawn beyond idle; direction and size as in the capped H100 of "
    "Splitwise (arXiv 2311.18677: 70 % of the power, prompts 1.3 times as long, decodes as before; a projection of its "
    "authors) and as decodes that no cap meets (arXiv 2605.11999)"
)


def capped(profile: Profile, watts: float | None) -> Profile:
    """Return the profile of GPUs that draw `watts` each at most; as it is where nothing is capped.

    Raises InputError for a cap that is not between what an idle GPU draws and its limit, and for a profile whose power
    follows the papers' curve, which knows no clock.
    """
    if watts is None:
        return profile
    law = profile.power
    if not isinstance(law, PowerLaw):
        raise InputError(
            "this profile draws by the batch alone, which knows no clock",
            where="--power-cap",
            remedy="plan anew, without --power-cap or --preset paper",
        )
    if not law.idle < watts <= law.limit:
        without = "draws as much without work" if watts <= law.idle else "never draws more than its limit"
        raise InputError(
            f"no such cap: {profile.gpu} {without}",
            where="--power-cap",
            value=f"{watts:g} W",
            accepted=f"above {law.idle:g} W (idle), at most {law.limit:g} W (its limit); one cap is for all of --gpu",
        )
    full = prompts_draw(profile, law)
    cap = PowerCap(
        watts=watts,
        prompts=_slower(law, full, watts),
        decodes=_slower(law, decodes_draw(profile, law), watts),
        spared=max(full - watts, 0.0),
    )
    own = replace(law, cap=cap)
    step = rescaled(
        profile.step, overhead=profile.step.overhead, bandwidth=1.0 / cap.decodes, compute=1.0 / cap.prompts
    )
    trust: Citation = Citation(field="gpu.power_cap", source=SOURCE, confidence="low" if own.extrapolated else "medium")
    said = f"{watts:g} W a GPU{' (extrapolated)' if own.extrapolated else ''}"
    return replace(
        profile,
        step=step,
        power=own,
        evidence=", ".join(filter(None, (profile.evidence, said))),
        citations=(*profile.citations, trust),
    )


def _slower(law: PowerLaw, draws: float, watts: float) -> float:
    """Return how much longer steps are that would draw so much."""
    return 1.0 if draws <= watts else ((draws - law.idle) / (watts - law.idle)) ** EXPONENT


def prompts_draw(profile: Profile, law: PowerLaw) -> float:
    """Return what a step full of a prompt draws."""
    pairs = CHUNK**2 / 2.0
    seconds = float(
        step_time(profile.step, decodes=0, context_tokens=0, prompt_tokens=CHUNK, attention_pairs=pairs, prompts=1)
    )
    flops = profile.flops_per_token * CHUNK + profile.attention_flops * pairs
    read = float(touched_share(profile.step, CHUNK)) * profile.bytes_per_step
    return _drawn(profile, law, seconds, flops, read)


def decodes_draw(profile: Profile, law: PowerLaw) -> float:
    """Return what a step of decodes alone draws."""
    context = float(SEQUENCES * TOKENS)
    seconds = float(step_time(profile.step, decodes=SEQUENCES, context_tokens=context))
    tokens = SEQUENCES * profile.drafting.width
    flops = profile.flops_per_token * tokens + profile.attention_flops * context
    read = float(touched_share(profile.step, tokens)) * profile.bytes_per_step
    return _drawn(profile, law, seconds, flops, read + context * profile.kv_bytes_per_token)


def _drawn(profile: Profile, law: PowerLaw, seconds: float, flops: float, read: float) -> float:
    """Return the watts of a GPU in steps of so many seconds, FLOP and bytes of the whole replica.

    They are those while it computes, which is what a cap slows, not the mean with its exchanges in it.
    """
    computing = seconds * (1.0 - law.links * (1.0 - 1.0 / profile.tp)) if law.experts is not None else seconds
    return float(
        working_power(
            law,
            arithmetic=min(flops / computing / profile.peak, 1.0),
            bandwidth=min(read / computing / profile.bandwidth, 1.0),
            waiting=min(profile.step.overhead / seconds, 1.0),
            ways=1 if law.experts is not None else profile.tp,
        )
    )
