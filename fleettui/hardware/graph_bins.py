"""A step of an engine that pads its tokens to the next CUDA-graph bin: as a step table, which all else reads as any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.graph_bins import OWN, WHERE, bins, of_steps, padded
from fleettui.domain.hardware import Citation, Profile, StepTable
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.table_cost import straight

GIVEN = Citation(field="engine.graph_bins", source="as given", confidence="high")


def graphed(profile: Profile, said: str, engine: str) -> Profile:
    """Return the profile of a replica whose steps are padded to bins that are `said`; as it is where none are.

    Raises InputError by the roofline, whose line knows no bins, and for an engine whose own nobody knows.
    """
    if not said:
        return profile
    if not isinstance(profile.step, StepTable):
        what = "the roofline's line does not know what a padded step takes"
        raise InputError(what, where=WHERE, value=said, remedy="add --step-law kernels, or leave out --graph-bins")
    listed, only_decodes = of_steps(said)
    if only_decodes and profile.attention_dp:
        what = "which lanes of a replica have prompts decides whether all run as a graph, which is not modelled"
        raise InputError(what, where=WHERE, value=said, remedy=f"write {listed}, or leave out --attention-dp")
    ladder, citation = _own(engine, profile.settings) if listed == OWN else (bins(listed), GIVEN)
    step = padded_step(profile.step, ladder, only_decodes=only_decodes)
    return replace(profile, step=step, graph_bins=ladder, citations=(*profile.citations, citation))


def padded_step(step: StepTable, ladder: Sequence[int], *, only_decodes: bool = False) -> StepTable:
    """Return a step whose tokens, up to the largest bin, take what those of their bin do, attention aside.

    With `only_decodes` those of a step with prompts take what they did.
    """
    edges = {float(one + beyond) for one in ladder for beyond in (0, 1)}
    tokens = np.array(sorted(edges | set(step.tokens)))
    runs = np.array([padded(int(np.ceil(one)), ladder) for one in tokens.tolist()], np.float64)
    runs = np.where(tokens > ladder[-1], tokens, runs)
    linear, gathered = (
        tuple(straight(runs, step.tokens, own).tolist()) if own else () for own in (step.linear, step.gathered)
    )
    if only_decodes:
        as_it_was = tuple(straight(tokens, step.tokens, step.linear).tolist())
        return replace(step, tokens=tuple(tokens.tolist()), linear=as_it_was, alone=linear)
    return replace(step, tokens=tuple(tokens.tolist()), linear=linear, gathered=gathered)


def _own(engine: str, settings: EngineSettings) -> tuple[tuple[int, ...], Citation]:
    """Return an engine's own bins, those that it captures for so many sequences at once, and their source."""
    known = catalog.engine(engine).graphs
    most = known.per_sequence * settings.max_num_seqs
    return tuple(one for one in known.bins if one <= most), known.citation
