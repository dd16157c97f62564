"""What compiled functions have of their own in numba: parts, linked into those that call them, and places of arrays.

numba makes machine code of each function with all that it calls in it, so that what is called from deep down is
optimized and translated once more on every level above it. Only the function that Python calls needs that; of a part
its own intermediate code is kept, and whoever is compiled with it optimizes the whole once. numba also compiles a
function once for each width of a number that it is given, and for every number that is written down: a part takes
whole numbers of 64 bits alone.

No function here asks for a place from the end of an array by a number below 0. To look for that at each place took a
seventh of a simulation's time. `tests/simulation/test_parts.py` holds all of them to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba._dynfunc import make_function
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typed_passes import (
    DumpParforDiagnostics,
    InlineOverloads,
    NativeLowering,
    NopythonRewrites,
    NoPythonSupportedFeatureValidation,
)
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    WithLifting,
)

from fleettui.simulation.part_calls import PartLower, calls_of

UNNEEDED = frozenset(
    {
        *(DumpParforDiagnostics, FindLiterallyCalls, InlineClosureLikes, InlineInlinables, InlineOverloads),
        *(LiteralPropagationSubPipelinePass, LiteralUnroll, MakeFunctionToJitFunction, NopythonRewrites, WithLifting),
    }
)
"""numba's passes for what no function here has: functions within it, blocks of `with`, expressions of whole arrays."""


def whole(function: Callable[..., Any], **options: Any) -> Any:
    """Return `function` in machine code, for Python to call, with so many options of numba's."""
    return numba.njit(pipeline_class=_Compiler, **options)(function)


def linked(function: Callable[..., Any], **options: Any) -> Any:
    """Return `function` as a part, with so many options of numba's."""
    part = numba.njit(pipeline_class=_PartCompiler, **options)(function)
    if part is not function:  # it is compiled at all
        template = part.get_call_template

        def of_one_kind(args: Any, kws: Any) -> Any:
            return template([_wide(one) for one in args], {name: _wide(one) for name, one in kws.items()})

        part.get_call_template = of_one_kind
    return part


def also_linked(function: Any, part: Any) -> None:
    """Let compiled functions that call a compiled `function` link it as this `part`."""
    if part is not function:
        function.get_call_template, function.get_overload = part.get_call_template, part.get_overload


def _wide(kind: Any) -> Any:
    """Return the type that a part takes for an argument of this one."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) else kind


class _Linked(JITCodeLibrary):
    """The code of a part and of the parts in it, not optimized and never run from here."""

    def _optimize_final_module(self) -> None:
        """Leave that to who links it."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    """Makes the intermediate code of a part, known to its callers by a function that nobody can call."""

    _name = "part_lowering"

    @property
    def lowering_class(self) -> type[PartLower]:
        """The class that makes it."""
        return PartLower

    def run_pass(self, state: Any) -> bool:
        library = state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        library._ensure_finalized()
        lowered = state.cr
        module = lowered.fndesc.lookup_module()
        key = make_function(module, library.name, "a part", 0, lowered.env, (library,))
        call = calls_of(lowered.fndesc, library)
        state.targetctx._defns[key].append(call, call.signature)
        state.reload_init.extend(library._reload_init)
        state.cr = lowered._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _Places(FunctionPass):
    """Lets arrays be read and written at whole numbers that are taken to be 0 or more."""

    _name = "places"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        found = state.calltypes
        for node in [node for node, signature in found.items() if _asks_for_a_place(node, signature)]:
            signature = found.pop(node)
            array, _, *value = signature.args
            found[node] = signature.replace(args=(array, types.uint64, *value))
        return True


def _asks_for_a_place(node: Any, signature: Any) -> bool:
    """Return whether a statement or an expression reads or writes an array at a whole number."""
    if not (isinstance(node, ir.SetItem) or (isinstance(node, ir.Expr) and node.op == "getitem")):
        return False
    array, at = signature.args[:2]
    return isinstance(array, types.Array) and isinstance(at, types.Integer)


class _Compiler(CompilerBase):
    """numba's compiler with places that parts are called at, and without the passes that no function here needs."""

    lowering: type[Any] = NativeLowering

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes of a function in which there are no objects of Python's."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_Places, NoPythonSupportedFeatureValidation)
        own = [(one, said) for one, said in passes.passes if one not in UNNEEDED]
        passes.passes = [(self.lowering if one is NativeLowering else one, said) for one, said in own]
        passes.finalize()
        return [passes]


class _PartCompiler(_Compiler):
    """That of parts."""

    lowering = _Lowering
