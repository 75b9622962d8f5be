"""Converted functions: compiled from the rewritten tree, once per code object.

How the tree is rewritten is in rewrite.py. A converted function shares globals, defaults and
closure cells with the original; files and lines stay the user's, so tracebacks, warnings and
breakpoints point there.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType

from tensorlite.function.jumps import PREFIX, located
from tensorlite.function.rewrite import RUNTIME, Rewriter, convertible
from tensorlite.function.source import Definition, find, parsing

_converted: set[CodeType] = set()


def is_converted(code: CodeType) -> bool:
    """Return whether code is, or lies in, a converted function."""
    return code in _converted


_made: dict[tuple[CodeType, str], CodeType | None] = {}


def _code(function: FunctionType) -> CodeType | None:
    """Return the converted code of a function, made once per code object."""
    code = function.__code__
    key = code, code.co_filename
    if key not in _made:
        found = find(function)
        fit = found is not None and convertible(found.node)
        _made[key] = _compile(code, *found) if found is not None and fit else None
    return _made[key]


def convert(function: FunctionType, runtime: object) -> FunctionType | None:
    """Return the converted function, or None when its source cannot be had or it is a generator.

    `runtime` is the object whose attributes converted code calls.
    """
    code, made = function.__code__, _code(function)
    if made is None:
        return None
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime)
    closure = tuple([cells[name] for name in made.co_freevars])
    result = FunctionType(
        made, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    result.__dict__.update(function.__dict__)
    return result


def _compile(code: CodeType, node: Definition, owner: str | None) -> CodeType:
    """Return the code of a converted definition; its closure is the original's and RUNTIME."""
    node = _rewritten(copy.deepcopy(node))
    made: ast.stmt = (
        node if isinstance(node, ast.FunctionDef) else located(ast.Expr(node), node)
    )
    if owner is not None:
        made = located(
            ast.ClassDef(
                owner, bases=[], keywords=[], body=[made], decorator_list=[]
            ),
            node,
        )
    inside = [
        name for name in code.co_freevars if not (owner and name == "__class__")
    ]
    given = ast.arguments(
        [], [ast.arg(name) for name in (*inside, RUNTIME)], None, [], [], None, []
    )
    # The definition must not shadow the global of its own name, which it may call.
    own = getattr(made, "name", None)
    free = [located(ast.Global([own]), node)] if own and own not in inside else []
    factory = located(
        ast.FunctionDef("factory", given, [*free, made], [], None), node
    )
    factory.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([factory], []))
    flags = code.co_flags & __future__.annotations.compiler_flag
    with parsing:
        whole = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    for inner in _codes(whole):
        if (
            inner.co_name == code.co_name
            and inner.co_varnames[: code.co_argcount]
            == (code.co_varnames[: code.co_argcount])
        ):
            named = _renamed(inner, code.co_name).replace(
                co_qualname=code.co_qualname
            )
            _converted.update([named, *_codes(named)])
            return named
    raise AssertionError(f"{code.co_name} is lost in conversion")


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _renamed(code: CodeType, name: str) -> CodeType:
    """Return code whose generated functions bear, in tracebacks, the name of the user's own."""
    constants = tuple(
        [
            _renamed(c, name if c.co_name.startswith(PREFIX) else c.co_name)
            if isinstance(c, CodeType)
            else c
            for c in code.co_consts
        ]
    )
    return code.replace(co_consts=constants, co_name=name)


def _rewritten(node: Definition) -> Definition:
    """Return a definition converted, without decorators, defaults and annotations."""
    converted: Definition = Rewriter().visit(node)
    if isinstance(converted, ast.FunctionDef):
        converted.decorator_list = []
        converted.returns = None
    return _bare(converted)


def _bare(node: Definition) -> Definition:
    """Return a definition without defaults and annotations: the function gets the original's."""
    arguments = node.args
    arguments.defaults = []
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in (*named, arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    return node
