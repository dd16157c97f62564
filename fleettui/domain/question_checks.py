"""Parts of a question that cannot stand beside each other."""

from __future__ import annotations

from fleettui.domain.calibration import Calibration
from fleettui.domain.failures import Failures
from fleettui.errors import InputError


def of_fit(fit: Calibration, step_law: str, engine_overhead: float | None) -> None:
    """Raise InputError where a fit cannot stand beside a law, or an overhead that is given."""
    if fit.step_law != step_law:
        raise InputError(
            f"the fit {fit.name} is of steps by {fit.step_law}",
            where="--step-law",
            value=step_law,
            accepted=fit.step_law,
            remedy="leave out --step-law, or fit again with it: fleettui profile fit",
        )
    if engine_overhead is not None:
        raise InputError(
            f"the fit {fit.name} has the engine's overhead in it",
            where="--engine-overhead",
            remedy="leave out --engine-overhead, or --profile",
        )


def of_confidence(confidence: float, demand: str, preset: str) -> None:
    """Raise InputError where no error of the step times is known that a fleet could be sized for."""
    closed = demand == "concurrency"
    if closed or preset == "paper":
        raise InputError(
            "a closed loop's rate is another at other speeds: no size is surer"
            if closed
            else "the papers' own speeds have no error to be sure over",
            where="--confidence",
            value=f"{100 * confidence:.3g}%",
            remedy="leave out --confidence, or ask by --rate" if closed else "leave out --confidence, or --preset",
        )


def of_failures(availability: float | None, failures: Failures | None, repair: float | None) -> None:
    """Raise InputError where an availability is given twice, or a failure rate without its repair time."""
    if availability is not None and failures is not None:
        raise InputError(
            "an availability and the failures that it comes from are both given",
            where="--failures",
            remedy="leave out --availability, or --failures with --repair",
        )
    if (failures is None) != (repair is None):
        lone, missing = ("--repair", "--failures 0.02/node-day") if failures is None else ("--failures", "--repair 4h")
        raise InputError("failures and the time to repair one go together", where=lone, remedy=f"add {missing}")
