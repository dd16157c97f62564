"""A fit as text: what a server's own runs say of its steps, how sure that is, and what they cannot tell."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.calibration import Calibration, Range, ServerFit
from fleettui.hardware.kept_fits import REMEDY, KeptFit
from fleettui.reports import units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.error_text import shares
from fleettui.reports.table import WIDTH, Table
from fleettui.reports.text_page import details, text_page


def calibration_text(fit: Calibration, width: int = WIDTH) -> str:
    """Return each server's fit, the files that it is of, and the runs that were left out."""
    law = "measured kernels" if fit.step_law == "kernels" else "the roofline"
    head = f"fit {fit.name}, of steps of {law}"
    ends = (
        [
            f"{one.path}: {one.points} run{'s' * (one.points != 1)}, {one.format}, sha256 {one.short_digest}"
            for one in fit.sources
        ],
        [f"left out, {count} run{'s' * (count > 1)}: {why}" for why, count in fit.skipped],
    )
    servers = [details(one.server, _pairs(one), width) for one in fit.servers]
    return "\n\n".join([head, *servers, text_page(ends, width)])


def fits_table(fits: Iterable[KeptFit]) -> Table:
    """Return one row per kept fit: its runs, the error of what was held out, the day, and the servers that it is of."""
    columns: tuple[Column[KeptFit], ...] = (
        words("fit", lambda one: one.name),
        figure("runs", lambda one: one.fit and sum(server.points for server in one.fit.servers)),
        figure("error", lambda one: one.fit and _errors(one.fit)),
        words("kept", lambda one: one.day),
        words("of", lambda one: "; ".join(server.server for server in one.fit.servers) if one.fit else None, wrap=True),
    )
    found = tuple(fits)
    refused = [f"{one.name} {one.refusal}" for one in found if one.fit is None]
    none = [] if found else [f"no fit is kept; {REMEDY}"]
    return table(columns, found, note="; ".join([*refused, *none]))


def _errors(fit: Calibration) -> str:
    """Return the bands of a fit's servers, the least and the most."""
    return "-".join(dict.fromkeys(units.percent(end([one.band for one in fit.servers])) for end in (min, max)))


def _pairs(one: ServerFit) -> list[tuple[str, str]]:
    slopes = (("context", one.context_slope), ("prompts", one.prompt_slope))
    held = f"{one.held_out} runs held out" if one.band_source == "held-out" else "what two runs leave on public servers"
    spread = one.envelope
    return [
        ("runs", f"{one.points}, with {one.configurations} pair{'s' * (one.configurations > 1)} of lengths"),
        ("step", f"x{one.factor:.3f}{_signed(one.constant)}"),
        *((name, f"x{slope:.3f}") for name, slope in slopes if slope != 1.0),
        ("front end", "" if one.front_end is None else f"{units.seconds(one.front_end)} a request"),
        ("band", f"+-{units.percent(one.band)}, by {held}; the law alone is {units.percent(one.uncalibrated)} off"),
        ("", _wider(one)),
        ("TTFT", _ttft(one)),
        ("holds for", f"{_range(spread.clients)} clients, prompts of {_range(spread.prompt_tokens)} tokens"),
        ("and", f"outputs of {_range(spread.output_tokens)}, {_range(spread.context_tokens)} together"),
        *(("not told", why) for why in one.untold),
    ]


def _wider(one: ServerFit) -> str:
    """Return that plans are less sure with a fit than without, and what tells which runs would change that."""
    if not one.is_wider or one.unfitted is None:
        return ""
    ends = f"plans with it are less sure of steps ({shares(one.step_factors)}) than without ({shares(one.unfitted)})"
    return f"{ends}; which runs would narrow it: fleettui profile next, after a plan with --profile"


def _ttft(one: ServerFit) -> str:
    """Return that TTFT were longer than the fit predicts, and what that means; empty where they were not."""
    if not one.longer_ttft:
        return ""
    longer = f"measured {units.percent(one.longer_ttft)} longer than by this fit, in the median"
    return f"{longer}; it says nothing of why, so plans may promise TTFT that much too short"


def _signed(constant: float) -> str:
    return f" {'-' if constant < 0 else '+'} {units.seconds(abs(constant))} a step" if constant else ""


def _range(span: Range) -> str:
    low, high = map(units.count, span)
    return low if low == high else f"{low} to {high}"
