"""Which names statements read and write, and which are read after them; convert.py carries those.

Works on what jumps.py leaves: no break, continue, or return in the middle.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tensorlite.function.jumps import SCOPES, Block, blocks
from tensorlite.function.marks import marks

NameSet: TypeAlias = "frozenset[str]"
NONE: NameSet = frozenset()
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def reads(*nodes: ast.AST | None) -> NameSet:
    """Return the names that expressions (or whole statements) read, inner functions included."""
    return frozenset(_each_read(*nodes))


def _each_read(*nodes: ast.AST | None) -> Iterator[str]:
    """Yield the names that are read, as often as they are."""
    for node in nodes:
        for part in () if node is None else ast.walk(node):
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
                yield part.id
            elif isinstance(part, ast.AugAssign) and isinstance(
                part.target, ast.Name
            ):
                yield part.target.id


def writes(nodes: Iterable[ast.AST], items: bool = True) -> list[str]:
    """Return the names that are bound by nodes in this scope, in order, each once.

    With `items`, `x[i] = v` and `x.append(v)` count: they are turned into assignments to `x`.
    """
    return list(
        dict.fromkeys(name for node in nodes for name in _written(node, items))
    )


def _written(node: ast.AST, items: bool) -> Iterator[str]:
    if isinstance(node, SCOPES):
        if not isinstance(node, ast.Lambda):
            yield node.name
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (
            (alias.asname or alias.name).split(".")[0] for alias in node.names
        )
    elif (isinstance(node, ast.ExceptHandler) and node.name) or (
        isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
    ):
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    if items:
        yield from _changed(node)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        walrus = (
            part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)
        )
        yield from (target.id for target in walrus)
        return
    for child in ast.iter_child_nodes(node):
        yield from _written(child, items)


def _changed(node: ast.AST) -> Iterator[str]:
    """Yield the name whose item is set or that is appended to."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        if isinstance(node.value, ast.Name):
            yield node.value.id
    elif isinstance(node, ast.Expr):
        name = appended(node)
        if name is not None:
            yield name


def attributes(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the attributes that are bound by nodes in this scope, as dotted names."""
    return list(dict.fromkeys(name for node in nodes for name in _dotted(node)))


def _dotted(node: ast.AST) -> Iterator[str]:
    if isinstance(node, SCOPES):
        return
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name):
            yield ast.unparse(node)
    for child in ast.iter_child_nodes(node):
        yield from _dotted(child)


def appended(statement: ast.stmt) -> str | None:
    """Return the name in the statement `name.append(value)`, or None for another statement."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(value, ast.Call) or len(value.args) != 1 or value.keywords:
        return None
    method = value.func
    if not isinstance(method, ast.Attribute) or method.attr != "append":
        return None
    return method.value.id if isinstance(method.value, ast.Name) else None


def lists(statements: Iterable[ast.stmt]) -> list[str]:
    """Return the names that are appended to in these statements, inner blocks included."""
    found: list[str] = []
    for statement in statements:
        name = appended(statement)
        if name is not None:
            found.append(name)
        if not isinstance(statement, SCOPES):
            found.extend(name for block in blocks(statement) for name in lists(block))
    return list(dict.fromkeys(found))


def declared(body: Block) -> tuple[NameSet, NameSet]:
    """Return the names that a function declares global, and those it declares nonlocal."""
    found: dict[type[ast.stmt], set[str]] = {ast.Global: set(), ast.Nonlocal: set()}
    pending: list[ast.stmt] = list(body)
    while pending:
        statement = pending.pop()
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            found[type(statement)].update(statement.names)
        elif not isinstance(statement, SCOPES):
            pending.extend(inner for block in blocks(statement) for inner in block)
    return frozenset(found[ast.Global]), frozenset(found[ast.Nonlocal])


def parameters(arguments: ast.arguments) -> list[str]:
    """Return the names of a function's parameters."""
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    listed += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return [argument.arg for argument in listed]


def _unpacked(target: ast.expr) -> Iterator[str]:
    """Yield the names that a target binds whole: `a, (b, *c) = ...` binds three."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Starred):
        yield from _unpacked(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _unpacked(part)


class Liveness:
    """Walks a function's body from its end, and notes on each `if` and loop what is live.

    `live_after` is marked on if, while and for: the names read after the statement. `live_inside`
    is marked, too: those read by a later turn of a loop, or by a branch of an `if`, or after it.
    """

    def __init__(self, body: Block) -> None:
        shared, outer = declared(body)
        captured = {
            name
            for statement in body
            for part in ast.walk(statement)
            if isinstance(part, (*FUNCTIONS, ast.ClassDef))
            for name in reads(part)
        }
        self.always = shared | outer | captured
        self._shared = shared | outer
        self._read = Counter(_each_read(*body))
        self.block(body, self.always)

    def block(self, statements: Sequence[ast.stmt], after: NameSet) -> NameSet:
        """Return what is live before a block, given what is live after it."""
        for statement in reversed(statements):
            after = self._statement(statement, after) | self.always
        return after

    def _statement(self, node: ast.stmt, after: NameSet) -> NameSet:
        if isinstance(node, ast.If):
            inner = self.block(node.body, after) | self.block(node.orelse, after)
            marks(node).live_after, marks(node).live_inside = after, inner
            return reads(node.test) | inner
        if isinstance(node, (ast.While, ast.For)):
            return self._loop(node, after)
        if isinstance(node, ast.Return):
            return reads(node.value)
        if isinstance(node, ast.With):
            bound = frozenset(writes(node.items))
            return reads(*node.items) | (self.block(node.body, after) - bound)
        if isinstance(node, (ast.Try, ast.Match)):
            return self._anywhere(node, after)
        return (after - self._killed(node)) | reads(node)

    @staticmethod
    def _killed(node: ast.stmt) -> NameSet:
        if isinstance(node, ast.Assign):
            return frozenset(name for x in node.targets for name in _unpacked(x))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            return frozenset([node.target.id])
        return NONE

    def _loop(self, node: ast.While | ast.For, after: NameSet) -> NameSet:
        stop = marks(node).stop
        tested = reads(node.test) if isinstance(node, ast.While) else NONE
        tested = tested | ({stop} if stop else NONE)
        target = (
            frozenset(writes([node.target])) if isinstance(node, ast.For) else NONE
        )
        inside = after | tested
        while True:
            turn = (self.block(node.body, inside) - target) | inside
            if turn == inside:
                break
            inside = turn
        marks(node).live_after, marks(node).live_inside = after, inside
        marks(node).needed = after & (self._read_beside(node) | self._shared)
        return inside | reads(node.iter) if isinstance(node, ast.For) else inside

    def _read_beside(self, node: ast.stmt) -> NameSet:
        """Return the names that are read outside of a statement, inner functions there included.

        What a function inside of a loop captures is live for good, as it may be called later; what
        nothing else names is of no use when the loop has made no turn.
        """
        beside = self._read - Counter(_each_read(node))
        return frozenset(beside)

    def _anywhere(self, node: ast.stmt, after: NameSet) -> NameSet:
        """Return what is live before a statement that may leave its blocks at any point."""
        inside = after | reads(node)
        for block in blocks(node):
            self.block(block, inside)
        return inside
