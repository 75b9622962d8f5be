"""Return, break and continue, turned into flags and branches, so that every block runs to its end.

After this, a function returns only at the end of blocks that always return, loops end by their
test, and what remains is if, while, for, try and with.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TypeAlias, TypeVar

from tensorlite.function.marks import marks

Block: TypeAlias = "list[ast.stmt]"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.While, ast.AsyncFor)
PREFIX = "_tl_"
PLACED = (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.excepthandler, ast.alias)
Node = TypeVar("Node", bound=ast.AST)


class Names:
    """Gives names that no user's program has."""

    def __init__(self) -> None:
        self._count = count(1)

    def fresh(self, kind: str) -> str:
        """Return a new name."""
        return f"{PREFIX}{kind}_{next(self._count)}"


def blocks(statement: ast.AST) -> list[Block]:
    """Return the blocks of statements directly inside a statement."""
    found = [
        getattr(statement, field)
        for field in ("body", "orelse", "finalbody")
        if isinstance(getattr(statement, field, None), list)
    ]
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    return [*found, *(part.body for part in parts)]


def contains(
    statements: Iterable[ast.stmt],
    kinds: tuple[type[ast.stmt], ...],
    through_loops: bool = False,
) -> bool:
    """Return whether a jump of some kind leaves these statements."""
    for statement in statements:
        if isinstance(statement, kinds):
            return True
        if ast.Return in kinds and marks(statement).left_by:
            return True
        if isinstance(statement, SCOPES) or (
            isinstance(statement, LOOPS) and not through_loops
        ):
            continue
        if any(contains(block, kinds, through_loops) for block in blocks(statement)):
            return True
    return False


def leaves(statements: Sequence[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    """Return whether a block always ends by a jump of some kind, or an exception."""
    for statement in statements:
        if isinstance(statement, (*kinds, ast.Raise)):
            return True
        if isinstance(statement, ast.If) and statement.orelse:
            if leaves(statement.body, kinds) and leaves(statement.orelse, kinds):
                return True
        elif (isinstance(statement, ast.With) and leaves(statement.body, kinds)) or (
            isinstance(statement, ast.Try) and _try_leaves(statement, kinds)
        ):
            return True
    return False


def _try_leaves(statement: ast.Try, kinds: tuple[type[ast.stmt], ...]) -> bool:
    return leaves(statement.body, kinds) and all(
        leaves(handler.body, kinds) for handler in statement.handlers
    )


def assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    """Return `name = value` at the line of `at`."""
    target = ast.Name(name, ast.Store())
    return located(ast.Assign([target], value), at)


def located(node: Node, at: ast.AST) -> Node:
    """Return a node, it and its parts placed at the line of `at` where they have no line yet."""
    for part in ast.walk(node):
        if isinstance(part, PLACED) and not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return node


def constant(value: bool | None, at: ast.AST) -> ast.expr:
    """Return a constant at the line of `at`."""
    return located(ast.Constant(value), at)


def _load(name: str, at: ast.AST) -> ast.expr:
    return located(ast.Name(name, ast.Load()), at)


def _unless(flag: str, block: Block, at: ast.AST) -> ast.stmt:
    guard = ast.If(ast.UnaryOp(ast.Not(), _load(flag, at)), block, [])
    marks(guard).jumping = 1
    return located(guard, at)


Replace: TypeAlias = Callable[[ast.stmt], Block]


class _Guard:
    """Replaces jumps in a block by flags, and skips what follows them while a flag is set."""

    def __init__(
        self, kinds: tuple[type[ast.stmt], ...], flag: str, replace: Replace
    ) -> None:
        self.kinds = kinds
        self.flag = flag
        self.replace = replace

    def block(self, statements: Block) -> Block:
        """Return the block without jumps."""
        out: Block = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(statement, self.kinds):
                return [*out, *self.replace(statement)]
            if not contains([statement], self.kinds):
                out.append(statement)
                continue
            if isinstance(statement, ast.If) and self._absorbed(statement, rest):
                return [*out, statement]
            for inner in blocks(statement):
                inner[:] = self.block(inner)
            out.append(statement)
            if rest:
                out.append(_unless(self.flag, self.block(rest), rest[0]))
            return out
        return out

    def _absorbed(self, statement: ast.If, rest: Block) -> bool:
        """Move what follows an `if` into the branch that goes on, if the other always jumps."""
        if leaves(statement.body, self.kinds):
            marks(statement).jumping = 0
            statement.body = self.block(statement.body)
            statement.orelse = self.block([*statement.orelse, *rest])
        elif leaves(statement.orelse, self.kinds):
            marks(statement).jumping = 1
            statement.body = self.block([*statement.body, *rest])
            statement.orelse = self.block(statement.orelse)
        else:
            return False
        return True


class Returns:
    """Makes a function return only at the end of blocks that always return."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def lower(self, body: Block) -> Block:
        """Return the function's body, lowered if any return in it is conditional."""
        nested = [s for s in body if not isinstance(s, ast.Return)]
        return (
            self._tail(body)
            if contains(nested, (ast.Return,), through_loops=True)
            else body
        )

    def _tail(self, statements: Block) -> Block:
        """Return a block that ends by a return on every path."""
        out: Block = []
        for i, statement in enumerate(statements):
            rest = statements[i + 1 :]
            if isinstance(statement, (ast.Return, ast.Raise)):
                return [*out, statement]
            if not contains([statement], (ast.Return,), through_loops=True):
                out.append(statement)
            elif self._settled(statement, rest):
                return [*out, statement]
            else:
                return [*out, *self._flagged(statement, rest)]
        last = statements[-1] if statements else None
        if last is None:
            return [ast.Return(None, lineno=1, col_offset=0)]
        end = located(ast.Return(None), last)
        return [*out, end]

    def _settled(self, statement: ast.stmt, rest: Block) -> bool:
        """Make a statement return on every path, taking in what follows; False if it cannot."""
        kinds = (ast.Return,)
        if isinstance(statement, ast.If):
            if leaves(statement.body, kinds):
                statement.body = self._tail(statement.body)
                statement.orelse = self._tail(
                    [*statement.orelse, *rest] or [_pass(statement)]
                )
                return True
            if leaves(statement.orelse, kinds):
                statement.body = self._tail([*statement.body, *rest])
                statement.orelse = self._tail(statement.orelse)
                return True
        elif isinstance(statement, ast.With) and leaves(statement.body, kinds):
            statement.body = self._tail(statement.body)
            return True
        elif isinstance(statement, ast.Try) and _try_leaves(statement, kinds):
            for block in (statement.body, *(h.body for h in statement.handlers)):
                block[:] = self._tail(block)
            return True
        return False

    def _flagged(self, statement: ast.stmt, rest: Block) -> Block:
        """Return a statement whose returns set a flag, followed by a test of it."""
        flag, value = self._names.fresh("returned"), self._names.fresh("value")

        def setting(jump: ast.stmt) -> Block:
            assert isinstance(jump, ast.Return)
            returned = jump.value or constant(None, jump)
            return [
                assign(value, returned, jump),
                assign(flag, constant(True, jump), jump),
            ]

        guard = _Guard((ast.Return,), flag, setting)
        endless = _is_endless(statement)
        self._leave_loops([statement], flag, setting)
        inner = guard.block([statement])
        result: ast.stmt = located(ast.Return(_load(value, statement)), statement)
        if not endless:
            other = self._tail(rest or [_pass(statement)])
            result = located(
                ast.If(_load(flag, statement), [result], other), statement
            )
        start = assign(flag, constant(False, statement), statement)
        return [start, *inner, result]

    def _leave_loops(self, statements: Block, flag: str, setting: Replace) -> None:
        """Make returns inside loops set the flag and break out, loop by loop."""
        for statement in list(statements):
            if isinstance(statement, SCOPES):
                continue
            if isinstance(statement, LOOPS):
                if contains(statement.body, (ast.Return,), through_loops=True):
                    statement.body = self._breaking(statement.body, flag, setting)
                    marks(statement).left_by = flag
            else:
                for block in blocks(statement):
                    self._leave_loops(block, flag, setting)

    def _breaking(self, statements: Block, flag: str, setting: Replace) -> Block:
        out: Block = []
        for statement in statements:
            if isinstance(statement, ast.Return):
                return [*out, *setting(statement), located(ast.Break(), statement)]
            out.append(statement)
            if not contains([statement], (ast.Return,), through_loops=True):
                continue
            for block in [] if isinstance(statement, SCOPES) else blocks(statement):
                block[:] = self._breaking(block, flag, setting)
            if isinstance(statement, LOOPS):
                leave = ast.If(_load(flag, statement), [ast.Break()], [])
                out.append(located(leave, statement))
        return out


def _is_endless(statement: ast.stmt) -> bool:
    """Return whether only a return ends a loop."""
    if not isinstance(statement, ast.While) or contains(statement.body, (ast.Break,)):
        return False
    return isinstance(statement.test, ast.Constant) and bool(statement.test.value)


def _pass(at: ast.AST) -> ast.stmt:
    return located(ast.Pass(), at)


class Breaks(ast.NodeTransformer):
    """Makes loops end by their test only; `stop` on a loop names the flag that ends it."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def visit_scope(self, node: ast.AST) -> ast.AST:
        """Leave inner functions and classes alone: they are lowered by themselves."""
        return node

    visit_FunctionDef = visit_scope  # noqa: N815  the names that ast calls
    visit_AsyncFunctionDef = visit_scope  # noqa: N815
    visit_ClassDef = visit_scope  # noqa: N815
    visit_Lambda = visit_scope  # noqa: N815

    def visit_For(self, node: ast.For) -> Block:
        """Return the loop without break, continue and else."""
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Block:
        """Return the loop without break, continue and else."""
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> Block:
        self.generic_visit(node)
        breaks, skips = (
            contains(node.body, (ast.Break,)),
            contains(node.body, (ast.Continue,)),
        )
        if not breaks and not skips:
            after, node.orelse = node.orelse, []
            return [node, *after]
        stop = self._names.fresh("stop") if breaks else ""
        skip = self._names.fresh("skip") if skips else stop

        def setting(jump: ast.stmt) -> Block:
            flags = {skip, stop} if isinstance(jump, ast.Break) else {skip}
            return [
                assign(flag, constant(True, jump), jump) for flag in sorted(flags)
            ]

        body = _Guard((ast.Break, ast.Continue), skip, setting).block(node.body)
        if skips:
            body = [assign(skip, constant(False, node), node), *body]
        node.body, after, node.orelse = body, node.orelse, []
        marks(node).stop = stop
        if not breaks:
            return [node, *after]
        start = assign(stop, constant(False, node), node)
        return [start, node, *([_unless(stop, after, after[0])] if after else [])]
