"""Python to graph: rewrites control flow into calls that decide, when traced, what to do.

`if x: ...` becomes `if_(x, then, else, names)`, and so on; what the calls do is in branches.py,
loops.py and staging.py. Compiling the result is in convert.py.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from tensorlite.function.jumps import (
    Block,
    Breaks,
    Names,
    Returns,
    assign,
    contains,
    located,
)
from tensorlite.function.liveness import (
    NONE,
    Liveness,
    NameSet,
    appended,
    attributes,
    declared,
    lists,
    parameters,
    writes,
)
from tensorlite.function.marks import marks
from tensorlite.function.source import Definition

RUNTIME = "_tl_"
"""The name, in converted code, of what decides."""


def convertible(node: Definition) -> bool:
    """Return whether a definition can be converted: generators are left as Python."""
    own: list[ast.AST] = [*node.body] if isinstance(node.body, list) else [node.body]
    while own:
        part = own.pop()
        if isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)):
            return False
        if not isinstance(
            part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
        ):
            own.extend(ast.iter_child_nodes(part))
    return True


class _Scope:
    """What a rewriter knows of the function it is in."""

    def __init__(
        self, local: Mapping[str, None], shared: NameSet, outer: NameSet, first: str
    ) -> None:
        self.local = local
        """Names bound in this function, parameters included."""
        self.shared = shared
        """Names declared global."""
        self.outer = outer
        """Names declared nonlocal."""
        self.first = first
        """The first parameter: what `super()` means."""

    def declarations(self, names: list[str], at: ast.AST) -> Block:
        """Return the declarations that let an inner function bind names of this one."""
        globals_ = [name for name in names if name in self.shared]
        rest = [name for name in names if name not in self.shared]
        out: Block = []
        if globals_:
            out.append(located(ast.Global(globals_), at))
        if rest:
            out.append(located(ast.Nonlocal(rest), at))
        return out


def _call(name: str, at: ast.AST, *args: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name(RUNTIME, ast.Load()), name, ast.Load())
    return located(ast.Call(function, list(args), []), at)


def _constant(value: str | int | None, at: ast.AST) -> ast.expr:
    return located(ast.Constant(value), at)


def _strings(names: list[str], at: ast.AST) -> ast.expr:
    return located(ast.Tuple([ast.Constant(name) for name in names], ast.Load()), at)


def _no_arguments() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _lazy(value: ast.expr) -> ast.expr:
    return located(ast.Lambda(_no_arguments(), value), value)


def _binds(*nodes: ast.AST) -> bool:
    """Return whether an expression binds a name, which a lambda around it would hide."""
    return any(
        isinstance(p, (ast.NamedExpr, ast.Await)) for n in nodes for p in ast.walk(n)
    )


class Rewriter(ast.NodeTransformer):
    """Turns control flow into calls of the runtime."""

    def __init__(
        self, names: Names | None = None, scope: _Scope | None = None
    ) -> None:
        self._names = names or Names()
        self._catches = False
        self._scope = scope or _Scope({}, NONE, NONE, "")

    # Functions and what is left as it is.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Convert a function: jumps, then liveness, then every statement."""
        if not convertible(node):
            return node
        node.decorator_list = [self.visit(part) for part in node.decorator_list]
        node.args = self.visit(node.args)
        body = Returns(self._names).lower(node.body)
        lowered = ast.Module(body, [])
        Breaks(self._names).generic_visit(lowered)
        body = lowered.body
        Liveness(body)
        shared, outer = declared(body)
        given = parameters(node.args)
        bound = [
            name for name in writes(body, items=False) if name not in shared | outer
        ]
        local = dict.fromkeys([*given, *bound])
        first = given[0] if given else ""
        inner = Rewriter(self._names, _Scope(local, shared, outer, first))
        opening = _docstring(body)
        statements = [
            s for part in body[len(opening) :] for s in inner.statements([part])
        ]
        heads = [_bound(name, node) for name in bound if name not in given]
        declarations = inner._scope.declarations(sorted(shared | outer), node)
        node.body = [*opening, *declarations, *heads, *statements]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Convert the expressions in a lambda."""
        if not convertible(node):
            return node
        node.args = self.visit(node.args)
        local = {**self._scope.local, **dict.fromkeys(parameters(node.args))}
        scope = _Scope(
            local, self._scope.shared, self._scope.outer, self._scope.first
        )
        node.body = Rewriter(self._names, scope).visit(node.body)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Leave a coroutine as Python."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Convert the methods of a class, and nothing else in it."""
        kinds = (ast.FunctionDef, ast.ClassDef)
        node.body = [
            self.visit(part) if isinstance(part, kinds) else part
            for part in node.body
        ]
        return node

    def statements(self, block: Block) -> Block:
        """Return a block with every statement converted."""
        out: Block = []
        for statement in block:
            made = self.visit(statement)
            out.extend(
                made if isinstance(made, list) else [] if made is None else [made]
            )
        return out

    def visit_Global(self, node: ast.Global) -> ast.AST:
        """Drop a declaration: it stands at the head of every function made of this one."""
        return located(ast.Pass(), node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """Drop a declaration, as for global."""
        return located(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Drop the annotation, which inner functions could not repeat."""
        if node.value is None:
            return located(ast.Pass(), node)
        return self.visit(located(ast.Assign([node.target], node.value), node))

    # Statements.

    def _function(
        self,
        kind: str,
        block: Block,
        at: ast.AST,
        bound: list[str],
        parameter: str = "",
    ) -> ast.FunctionDef:
        """Return an inner function of a block, which binds names of this one."""
        names = [name for name in bound if name in self._visible]
        given = _no_arguments()
        if parameter:
            given.args = [ast.arg(parameter)]
        body = [
            *self._scope.declarations(names, at),
            *(block or [located(ast.Pass(), at)]),
        ]
        made = ast.FunctionDef(self._names.fresh(kind), given, body, [], None)
        made.type_params = []  # type: ignore[attr-defined]
        return located(made, at)

    @property
    def _visible(self) -> NameSet:
        return frozenset(self._scope.local) | self._scope.shared | self._scope.outer

    def _changed(self, nodes: list[Any]) -> list[str]:
        return [name for name in writes(nodes) if name in self._visible]

    def visit_If(self, node: ast.If) -> Block:
        """Make the branches functions."""
        returning = contains(node.body, (ast.Return,)) or contains(
            node.orelse, (ast.Return,)
        )
        noted = marks(node)
        changed = self._changed([*node.body, *node.orelse])
        stored = attributes([*node.body, *node.orelse])
        bound = writes(node.body), writes(node.orelse)
        test = self.visit(node.test)
        then = self._function("then", self.statements(node.body), node, bound[0])
        orelse = self._function("else", self.statements(node.orelse), node, bound[1])
        shared = self._scope.shared | self._scope.outer
        after = shared if returning else noted.live_after
        names = [name for name in changed if name in after]
        kept = [name for name in changed if name in noted.live_inside - after]
        given = [
            *(_name(then), _name(orelse)),
            *(_strings(names + stored, node), _strings(kept, node)),
            _constant(node.lineno, node),
        ]
        if noted.jumping is not None:
            given.append(_constant(noted.jumping, node))
        kind = "if_" if noted.jumping is None else "if_guard"
        call = _call("if_return" if returning else kind, node, test, *given)
        last = ast.Return(call) if returning else ast.Expr(call)
        return [then, orelse, located(last, node)]

    def visit_While(self, node: ast.While) -> Block:
        """Make the test and the body functions."""
        stop = marks(node).stop
        (body, carry), binds = self._loop(node), writes([node.test])
        tested = self.visit(node.test)
        if stop:
            tested = _call("and_", node, _not(stop, node), _lazy(tested))
        result: Block = [located(ast.Return(tested), node.test)]
        test = self._function("test", result, node, binds)
        again = _constant(bool(binds), node)
        call = _call("while_", node, _name(test), _name(body), carry, again)
        return [test, body, located(ast.Expr(call), node)]

    def visit_For(self, node: ast.For) -> Block:
        """Make the body a function of the item."""
        stop = marks(node).stop
        item = self._names.fresh("item")
        value = located(ast.Name(item, ast.Load()), node.target)
        first = located(ast.Assign([node.target], value), node.target)
        source = self.visit(node.iter)
        node.body = [first, *node.body]
        body, carry = self._loop(node, item)
        going = _lazy(_not(stop, node)) if stop else _constant(None, node)
        call = _call("for_", node, source, _name(body), going, carry)
        return [body, located(ast.Expr(call), node)]

    def _loop(self, node: ast.While | ast.For, item: str = "") -> Any:
        tested = [node.test] if isinstance(node, ast.While) else []
        changed = self._changed([*tested, *node.body])
        inside, after = marks(node).live_inside, marks(node).live_after
        target = (
            frozenset(writes([node.target])) if isinstance(node, ast.For) else NONE
        )
        carried = [
            name for name in changed if name in inside and name not in target - after
        ]
        staged = [name for name in lists(node.body) if name in carried]
        carried += attributes([*tested, *node.body])
        bound = writes(node.body)
        body = self._function("body", self.statements(node.body), node, bound, item)
        needed = [name for name in carried if name in marks(node).needed]
        listed = [_strings(names, node) for names in (carried, staged, needed)]
        return body, _call("Carry", node, *listed, _constant(node.lineno, node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Turn `x[i] = v` into an assignment to `x`, and note stores that a trace would lose."""
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            name = self._local(target.value)
            if name is not None:
                old = located(ast.Name(name, ast.Load()), target)
                key, value = self._key(target.slice), self.visit(node.value)
                return assign(name, _call("set_item", node, old, key, value), node)
        self.generic_visit(node)
        node.value = self._noted(node.value, node.targets, node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Turn `x[i] += v` into an assignment to `x`."""
        target = node.target
        name = (
            self._local(target.value) if isinstance(target, ast.Subscript) else None
        )
        if name is None or not isinstance(target, ast.Subscript):
            self.generic_visit(node)
            node.value = self._noted(node.value, [target], node)
            return node
        old = located(ast.Name(name, ast.Load()), target)
        kind = _constant(type(node.op).__name__, node)
        value = _call(
            "change_item",
            node,
            old,
            self._key(target.slice),
            kind,
            self.visit(node.value),
        )
        return assign(name, value, node)

    def _local(self, whole: ast.expr) -> str | None:
        """Return the name of a local variable, None for what is none."""
        if isinstance(whole, ast.Name) and whole.id in self._scope.local:
            return whole.id
        return None

    def _key(self, key: ast.expr) -> ast.expr:
        """Return an index as a value: slices stand as calls of `slice`."""
        if isinstance(key, ast.Slice):
            parts = [
                _constant(None, key) if part is None else self.visit(part)
                for part in (key.lower, key.upper, key.step)
            ]
            return _call("slice", key, *parts)
        if isinstance(key, ast.Tuple):
            return located(
                ast.Tuple([self._key(k) for k in key.elts], ast.Load()), key
            )
        visited: ast.expr = self.visit(key)
        return visited

    def _noted(
        self, value: ast.expr, targets: list[ast.expr], at: ast.stmt
    ) -> ast.expr:
        """Return a stored value, reported to the trace when it is stored outside the function."""
        for target in targets:
            outside = isinstance(target, ast.Attribute) or (
                isinstance(target, ast.Name) and target.id in self._scope.shared
            )
            if outside:
                what = _constant(ast.unparse(target), at)
                return _call("stored", at, value, what, _constant(at.lineno, at))
        return value

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Turn `xs.append(v)` into an assignment to a local `xs`."""
        name = appended(node)
        self.generic_visit(node)
        if name is None or not isinstance(node.value, ast.Call):
            return node
        value = node.value.args[0]
        if name in self._scope.local:
            old = located(ast.Name(name, ast.Load()), node)
            return assign(name, _call("append", node, old, value), node)
        line = _constant(node.lineno, node)
        what = _constant(f"{name}.append", node)
        node.value.args[0] = _call("stored", node, value, what, line)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Leave what is raised inside to Python: it may be caught."""
        before, self._catches = self._catches, True
        self.generic_visit(node)
        self._catches = before
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Turn a raise into one that, under a condition on a tensor, happens in the graph."""
        self.generic_visit(node)
        if node.exc is None or self._catches:
            return node
        node.exc = _call("raised", node, _lazy(node.exc))
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Turn an assertion into one that also holds of tensors."""
        text = _constant(ast.unparse(node.test), node)
        message = _lazy(self.visit(node.msg) if node.msg else _constant(None, node))
        call = _call("assert_", node, self.visit(node.test), message, text)
        return located(ast.Expr(call), node)

    # Expressions.

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Turn `and` and `or` into calls that look at the second operand when needed."""
        bound = _binds(*node.values[1:])
        self.generic_visit(node)
        if bound:
            return node
        kind = "and_" if isinstance(node.op, ast.And) else "or_"
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            result = _call(kind, value, value, _lazy(result))
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Turn `not` into a call."""
        self.generic_visit(node)
        return (
            _call("not_", node, node.operand)
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Turn a conditional expression into a call."""
        bound = _binds(node.body, node.orelse)
        self.generic_visit(node)
        if bound:
            return node
        line = _constant(node.lineno, node)
        return _call(
            "if_expression",
            node,
            node.test,
            _lazy(node.body),
            _lazy(node.orelse),
            line,
        )

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Turn chains, `in` and `not in` into calls."""
        bound = _binds(*node.comparators)
        self.generic_visit(node)
        kinds = [type(op).__name__ for op in node.ops]
        if bound or (len(kinds) == 1 and kinds[0] not in ("In", "NotIn")):
            return node
        rest = [_lazy(value) for value in node.comparators]
        return _call("compare", node, node.left, _strings(kinds, node), *rest)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Convert the function that is called, when it is called."""
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
        ):
            here = (
                ast.Name("__class__", ast.Load()),
                ast.Name(self._scope.first, ast.Load()),
            )
            node.args = [located(part, node) for part in here]
            return node
        self.generic_visit(node)
        node.func = _call("converted", node.func, node.func)
        return node


def _name(function: ast.FunctionDef) -> ast.expr:
    return located(ast.Name(function.name, ast.Load()), function)


def _not(flag: str, at: ast.AST) -> ast.expr:
    return _call("not_", at, located(ast.Name(flag, ast.Load()), at))


def _bound(name: str, at: ast.AST) -> ast.stmt:
    """Return a statement that makes `name` a local name without binding it."""
    return located(
        ast.AnnAssign(ast.Name(name, ast.Store()), ast.Constant(0), None, 1), at
    )


def _docstring(body: Block) -> Block:
    first = body[0] if body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return []
    return [first] if isinstance(first.value.value, str) else []
