"""Parts of compiled functions for numba: functions that are linked into those that call them, and nothing else.

numba makes machine code of each function with all that it calls in it, so that what is called from deep down is
optimized and translated once more on every level above it. Only the function that Python calls needs that; of a part
its own intermediate code is kept, and whoever is compiled with it optimizes the whole once. numba also compiles a
function once for each width of a number that it is given, and for every number that is written down: a part takes
whole numbers of 64 bits alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


def linked(function: Callable[..., Any], **options: Any) -> Any:
    """Return `function` as a part, with so many options of numba's."""
    part = numba.njit(pipeline_class=_Compiler, **options)(function)
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

    def run_pass(self, state: Any) -> bool:
        library = state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        library._ensure_finalized()
        lowered = state.cr
        module = lowered.fndesc.lookup_module()
        key = make_function(module, library.name, "a part", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(key, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state.cr = lowered._replace(cfunc=key)
        return True


class _Compiler(CompilerBase):
    """numba's compiler with that."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes of a function in which there are no objects of Python's."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Lowering if one is NativeLowering else one, said) for one, said in passes.passes]
        passes.finalize()
        return [passes]
