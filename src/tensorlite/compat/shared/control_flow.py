"""Conditionals, loops and functions along an axis, which TensorFlow 1 and 2 have alike.

What programs give as functions sees what stands for tensors; views.py has the wrapping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorlite as tl
from tensorlite.compat.adopting import inner_named
from tensorlite.compat.arguments import keep_name, name_arguments
from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import stop_gradient
from tensorlite.compat.views import Operation, in_graph, plain, shown
from tensorlite.core import nest
from tensorlite.core.check import a_function, several
from tensorlite.core.dispatch import call, tracer
from tensorlite.core.errors import ConversionError, DTypeError, InvalidArgumentError
from tensorlite.core.op import Role
from tensorlite.core.operand import Operand
from tensorlite.core.scope import control_dependencies, scope
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices, Tensor
from tensorlite.function.naming import ended
from tensorlite.graph.graph import Node, SymbolicTensor
from tensorlite.graph_mode.counting import be_unsure, counted
from tensorlite.graph_mode.graph import active_graph, inner_graph, mode
from tensorlite.ops.control import loops as control
from tensorlite.ops.control.dataflow import Reached
from tensorlite.ops.sparse.tensor import SparseTensor
from tensorlite.ops.state.variable import Variable


def _known(x: Any) -> bool | None:
    """Return what a predicate is, which is not a tensor, where there is no graph."""
    if isinstance(x, Operand):
        return None
    if active_graph() is None and tracer() is None:
        return bool(x)
    if isinstance(x, bool):
        raise DTypeError(
            f"pred must not be a Python bool, but is {x}: in a graph give a tensor, such as "
            "tf.constant(True), or choose by Python's if"
        )
    return None


def taken(leaf: Any, done: Callable[[], Tensor] | None = None) -> Any:
    """Return a result of a branch or body as a tensor.

    For an operation stands what `done` gives, when it has run; without that it is refused.
    """
    if isinstance(leaf, Node):
        if done is None:
            raise ConversionError(
                f"Can't convert Operation '{leaf.name}' to Tensor: a body returns tensors; return "
                "one, made in a block of tf.control_dependencies that has the operation"
            )
        here = done()
        with control_dependencies([leaf]):
            return in_graph(lambda: tl.identity(here), "control_dependency")
    if isinstance(leaf, Variable):
        return leaf.__tensor__()
    return leaf


def _done(done: Callable[[], Tensor] | None, leaf: Any) -> Any:
    """Return what stands for an operation of a function that is traced; others as they are."""
    return taken(plain(leaf), done) if isinstance(leaf, Operation) else leaf


def inside(
    function: Callable[..., Any], done: Callable[[], Tensor] | None = None
) -> Callable[..., Any]:
    """Return a function of tensors that gives a program's function what stands for them.

    `done` gives what stands for operations that it returns.
    """
    a_function(function, "the function to call")

    def called(*args: Any) -> Any:
        graph = active_graph()
        if graph is None:
            return nest.map_structure(partial(_done, done), function(*args))
        # What counts turns stands before what the program makes.
        name_arguments(inner_graph(graph), 0, scope.get().name)
        result = plain(graph.lock.lent_for(function, *shown(args)))
        result = nest.map_structure(lambda leaf: taken(leaf, done), result)
        name_arguments(inner_graph(graph), 0, scope.get().name)
        return result

    return called


def flat_branch(
    function: Callable[[], Any], what: str, done: Callable[[], Tensor]
) -> Callable[[], Any]:
    """Return a function without arguments as branches are called.

    `done` gives what stands for operations, which functions return as None: the predicate.
    """
    called = inside(a_function(function, f"{what} must be callable: it"), done)

    def branch() -> Any:
        found = called()
        if found is None and active_graph() is None:
            return done()
        if found is None and mode.eager is False:
            raise InvalidArgumentError(
                f"{what} must have a return value; return a tensor or an operation, such as "
                "tf.no_op()"
            )
        return found

    return branch


@named("cond", "Merge")
def _cond(pred: Any, then: Any, other: Any, name: str | None = None) -> Any:
    first, second, count = alike(then), alike(other), counted(_BRANCHING)
    if count is not None:
        first, second = count.part(first), count.part(second)
    found = control.cond(_predicate(pred), first, second)
    if count is not None:
        count.finish(len(nest.flatten(found)))
    return under(found, "Merge")


def _predicate(given: Any) -> Tensor:
    """Return a predicate as a tensor, which TensorFlow's switches take of bools alone."""
    made = converted(given)
    if mode.eager is False and made.dtype is not tl.bool:
        raise DTypeError(
            f"pred is of dtype {made.dtype.name}, which does not match the expected dtype bool; "
            "cast it by tf.cast(pred, tf.bool)"
        )
    return made


_BRANCHING = 4
"""How many operations TensorFlow has before branches: a switch, its two sides, the condition."""


def alike(branch: Callable[[], Any]) -> Callable[[], Any]:
    """Return a branch whose Python numbers are tensors, as TensorFlow's are."""

    def made() -> Any:
        return nest.map_structure(_as_tensor, branch())

    return made


def _as_tensor(leaf: Any) -> Any:
    numbers = (bool, int, float, complex, str, bytes)
    return converted(leaf) if isinstance(leaf, numbers) else leaf


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    name: str | None = None,
    *,
    strict: bool = True,
) -> Any:
    """Return what one of two functions returns, by a predicate that may be a tensor.

    Both must return tensors of the same structure and dtypes. With strict=False a list of one
    tensor counts as the tensor.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.cond(tf.constant(2) > 1, lambda: tf.constant(10), lambda: tf.constant(20)).numpy().item()
    10
    """
    kept = whole if strict else single
    then = flat_branch(true_fn, "true_fn", partial(_reached, True))
    other = flat_branch(false_fn, "false_fn", partial(_reached, False))
    known = _known(pred)
    if known is not None or (active_graph() is None and tracer() is None):
        chosen = true_fn if (bool(pred) if known is None else known) else false_fn
        return kept(chosen())
    taken: list[str] = []

    def first() -> Any:
        made = kept(then())
        taken.extend(_names_here())
        return made

    def second() -> Any:
        _count_on(taken)
        return kept(other())

    return _cond(pred, first, second, name=name)


def _reached(holds: bool) -> Tensor:
    """Return what a predicate is in the branch that is traced."""
    return call(Reached(holds))


def _names_here() -> Sequence[str]:
    """Return the names in the branch that is traced, of nodes and of scopes."""
    graph = active_graph()
    if graph is None:
        return ()
    names = [node.name for node in inner_graph(graph).nodes]
    parts = [name.split("/") for name in names]
    scopes = {"/".join(x[:i]) for x in parts for i in range(1, len(x))}
    return [*scopes.difference(names), *names]


def _count_on(taken: Sequence[str]) -> None:
    """Number names after those of another branch: TensorFlow has both in one graph."""
    graph = active_graph()
    if graph is not None:
        inner_graph(graph).take(taken)


def single(result: Any) -> Any:
    """Return the only tensor of a list or tuple by itself, as TensorFlow 1 does."""
    if isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def whole(result: Any) -> Any:
    """Return a result as it is."""
    return result


def under(result: Any, title: str, first: int = 0) -> Any:
    """Return results under the names that TensorFlow's primitives of control flow have."""
    return nest.pack_like(result, ended(nest.flatten(result), title, first))


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool | None = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Return loop variables after calling `body` on them as long as `cond` of them holds.

    Variables keep dtypes and shapes, unless shape_invariants are wider. back_prop=False lets
    nothing flow back. maximum_iterations ends the loop, too.

    >>> from tensorlite.compat import v2 as tf
    >>> variables = [tf.constant(0), tf.constant(1)]
    >>> found = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, 2 * x), variables)
    >>> found[1].numpy().item()
    32
    """
    if not loop_vars:
        raise InvalidArgumentError("No loop variables provided")
    for what, function in (("cond", cond), ("body", body)):
        a_function(function, f"while_loop: cond and body must be callable: {what}")
    variables = plain(list(several(loop_vars, "while_loop: loop_vars")))
    sizes = (
        None if shape_invariants is None else _open_sizes(shape_invariants, variables)
    )
    asked, turned = _named_on(inside(cond), inside(body))
    found = _while(
        asked,
        _as_many(turned, len(variables)),
        variables,
        sizes,
        (parallel_iterations, swap_memory or False, back_prop),
        maximum_iterations,
        name=name,
    )
    return nest.rebuild(loop_vars, list(found))


def _named_on(
    cond: Callable[..., Any], body: Callable[..., Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a loop's functions, of which the body's names are counted on from the condition's."""
    taken: list[str] = []

    def asked(*variables: Any) -> Any:
        made = cond(*variables)
        taken[:] = _names_here()
        return made

    def turned(*variables: Any) -> Any:
        _count_on(taken)
        return body(*variables)

    return asked, turned


def _named_behind(
    variables: Any, started: Any, *functions: Callable[..., Any]
) -> list[Callable[..., Any]]:
    """Return functions whose names are counted on from what variables became tensors by."""
    leaves = zip(nest.flatten(variables), nest.flatten(started), strict=True)
    taken = [
        made.node.name
        for leaf, made in leaves
        if isinstance(made, SymbolicTensor) and not isinstance(leaf, SymbolicTensor)
    ]

    def behind(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*variables: Any) -> Any:
            _count_on(taken)
            return function(*variables)

        return called

    return [behind(x) if taken else x for x in functions]


def cut(found: Any, back_prop: bool) -> Any:
    """Return what a loop gives; without back_prop no gradient flows through it."""
    if back_prop:
        return found
    return nest.map_structure(
        lambda x: stop_gradient(x) if isinstance(x, Operand) else x, found
    )


def _as_many(body: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Return a body that returns a sequence of its variables, though a program's is a bare one."""

    def called(*variables: Any) -> Any:
        found = body(*variables)
        alone = number == 1 and not (
            isinstance(found, (list, tuple)) and len(found) == 1
        )
        return [found] if alone else list(found)

    return called


def _first_sizes(variable: Any) -> list[TensorSpec | None]:
    """Return what the tensors of a variable begin with; None for those of sparse ones, lists."""
    kinds = (list, tuple, dict, IndexedSlices)
    if isinstance(variable, kinds) and not isinstance(variable, SparseTensor):
        return [x for part in nest.children(variable) for x in _first_sizes(part)]
    if nest.is_nested(variable):
        return [None] * len(nest.flatten(variable))
    is_known = isinstance(variable, SymbolicTensor)
    return [variable.spec.without_value() if is_known else None]


def _open_sizes(given: Any, variables: Sequence[Any]) -> list[Any]:
    return [_open_size(x, y) for x, y in zip(given, variables, strict=True)]


def _open_size(given: Any, variable: Any) -> Any:
    """Return what a loop variable's shape keeps to, or the shapes of its members."""
    if isinstance(given, TensorSpec) or given is None:
        return given
    if isinstance(variable, SparseTensor):
        sizes = plain(TensorShape(given))
        rank = None if sizes is None else sizes[0]
        return [((None, rank)), (None,), sizes]
    if isinstance(variable, IndexedSlices):
        sizes = plain(TensorShape(given))
        members = [sizes, None if sizes is None else sizes[:1]]
        if isinstance(variable.dense_shape, Operand):
            return [*members, None if sizes is None else (len(sizes),)]
        return members if variable.dense_shape is None else [*members, None]
    if nest.is_nested(variable) and not nest.is_nested(given):
        return [
            _of_any_sizes(x) for x in nest.flatten(variable)
        ]  # arrays: their rows'
    if nest.is_nested(variable):
        found = _open_sizes(nest.children(given), nest.children(variable))
        return (
            found or {}
        )  # no shapes, which an empty list is not: that is one, of a number
    return TensorSpec(plain(TensorShape(given)), converted(variable).dtype)


def _of_any_sizes(part: Any) -> TensorSpec:
    known = converted(part).spec
    return known.with_shape(
        None if known.shape is None else (None,) * len(known.shape)
    )


def _exit(*given: Any, name: str | None = None) -> str | None:
    """Return what the first result of a loop is called: what counts turns comes before it."""
    graph = active_graph()
    is_outermost = graph is None or inner_graph(graph) is graph
    return None if is_outermost and given[5] is not None else "Exit"


@named("while", _exit)
def _while(
    cond: Any,
    body: Any,
    variables: Any,
    sizes: Any,
    options: tuple[int, bool, bool],
    most: Any,
    name: str | None = None,
) -> Any:
    started = [nest.map_structure(_begun, x) for x in variables]
    if sizes is None:
        sizes = _first_sizes(started)
    cond, body = _named_behind(variables, started, cond, body)
    is_given = most is not None and not isinstance(most, Operand)
    if is_given and active_graph() is not None:
        most = converted(most, None, "maximum_iterations")
    number, counters = len(nest.flatten(started)), int(most is not None)
    # A counter is compared before the condition, and with that joined behind it.
    count = counted(number + 2 * counters)
    if count is not None:
        cond = count.part(cond, 1 + number + 2 * counters)
        body = count.part(body, number + counters)
    found = control.while_loop(
        cond,
        body,
        started,
        sizes,
        options[0],
        most,
        options[1],
        back_prop=options[2],
    )
    if count is not None:
        count.finish(number, counters)
        be_unsure(count.graph)  # of lists, which are arrays there
    if counters:
        _name_counter(found)
    return under(list(found), "Exit", counters)


def _begun(leaf: Any) -> Any:
    """Return what a variable begins with; what numbers and variables become has its own name."""
    made = converted(leaf)
    if isinstance(made, SymbolicTensor) and not isinstance(leaf, SymbolicTensor):
        keep_name(made.node)
    return made


def _name_counter(found: Any) -> None:
    """Give what a loop's turns are counted from the name that it has in TensorFlow."""
    first = next(iter(nest.flatten(list(found))))
    loop = first.node if isinstance(first, SymbolicTensor) else None
    if loop is not None and loop.op.role is Role.WHILE:
        inner_named(loop.inputs[0], "iteration_counter")
