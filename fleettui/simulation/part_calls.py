"""How compiled functions call a part: with one value per argument, however many arrays that holds.

numba takes each argument apart into numbers and pointers in every call, and puts it together again at the start of
every function. Of a run's state these are hundreds, and they were a sixth of what a compilation took. Only calls from
Python and C need that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite.ir import Constant, IRBuilder
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.imputils import fix_returning_optional, impl_ret_new_ref
from numba.core.lowering import Lower


class PartLower(Lower):
    """Lowers a part to LLVM's intermediate code, with one value per argument."""

    def setup_function(self, fndesc: Any) -> None:
        """Begin the part's function."""
        self.function = _declared(self.context, self.module, fndesc)
        self.entry_block = self.function.append_basic_block("entry")
        self.builder = IRBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def extract_function_arguments(self) -> Any:
        """Return the arguments as they come."""
        self.fnargs = list(self.call_conv.get_arguments(self.function))
        return self.fnargs


def calls_of(fndesc: Any, library: Any) -> Any:
    """Return the function that writes a call of a part into another's code.

    `fndesc` is numba's description of the part, and `library` holds its code.
    """

    def call(context: Any, builder: Any, signature: Any, given: Sequence[Any]) -> Any:
        part = _declared(context, builder.module, fndesc)
        status, value = _Convention(context).call_function(builder, part, fndesc.restype, fndesc.argtypes, given)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        value = fix_returning_optional(context, builder, signature, status, value)
        return impl_ret_new_ref(context, builder, fndesc.restype, value)

    vars(call).update(signature=fndesc.argtypes, libs=(library,))
    return call


class _Values:
    """Arguments that stand as they are, in the place of numba's packer."""

    def __init__(self, context: Any, kinds: Sequence[Any]) -> None:
        self.argument_types = tuple(context.data_model_manager[kind].get_value_type() for kind in kinds)

    def as_arguments(self, builder: Any, values: Sequence[Any]) -> list[Any]:
        """Return the values that are handed over."""
        return [_shaped(builder, one, kind) for one, kind in zip(values, self.argument_types, strict=True)]

    def assign_names(self, given: Sequence[Any], names: Sequence[str]) -> None:
        """Name the arguments."""
        for one, name in zip(given, names, strict=True):
            one.name = name


class _Convention(CPUCallConv):
    """numba's calling convention, with arguments as they are."""

    def _get_arg_packer(self, argtypes: Sequence[Any]) -> _Values:
        return _Values(self.context, argtypes)


def _shaped(builder: Any, value: Any, kind: Any) -> Any:
    """Return a value as one of this kind: a tuple of equal things may be an array or a structure of them."""
    if value.type == kind:
        return value
    made = Constant(kind, None)
    for place, element in enumerate(kind.elements):
        made = builder.insert_value(made, _shaped(builder, builder.extract_value(value, place), element), place)
    return made


def _declared(context: Any, module: Any, fndesc: Any) -> Any:
    """Return the function of a part in a module, declared there if need be."""
    convention = _Convention(context)
    kind = convention.get_function_type(fndesc.restype, fndesc.argtypes)
    found = cgutils.get_or_insert_function(module, kind, fndesc.mangled_name)
    convention.decorate_function(found, fndesc.args, fndesc.argtypes, noalias=fndesc.noalias)
    if fndesc.inline:
        found.attributes.add("alwaysinline")
    return found
