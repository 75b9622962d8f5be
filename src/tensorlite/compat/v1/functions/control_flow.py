"""Control flow with the arguments of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.input_graphs import at_home
from tensorlite.compat.shared import along, control_flow
from tensorlite.compat.v1.renamed import renamed
from tensorlite.core import nest
from tensorlite.core.check import a_function
from tensorlite.core.dispatch import tracer
from tensorlite.function.staging import converts_functions
from tensorlite.graph_mode.graph import active_graph

__all__ = ["cond", "foldl", "foldr", "map_fn", "scan", "while_loop"]


def cond(
    pred: Any,
    true_fn: Any = None,
    false_fn: Any = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Any = None,
    fn2: Any = None,
) -> Any:
    """Return what true_fn() gives if pred, a scalar, is true when it runs, else false_fn().

    Both give the same structure of the same dtypes; a list or tuple of one tensor is that tensor
    unless strict. fn1 and fn2 are the older names.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     int(session.run(tf.cond(tf.constant(True), lambda: 1, lambda: 2)))
    1
    """
    then = renamed("true_fn", true_fn, "fn1", fn1)
    other = renamed("false_fn", false_fn, "fn2", fn2)
    return control_flow.cond(pred, then, other, name, strict=strict)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Return loop_vars after body was applied to them for as long as cond is true.

    body gives as many values of the same dtypes, in a list or tuple of the kind that comes back;
    shapes that change are told in shape_invariants. A single variable comes without a list unless
    return_same_structure. parallel_iterations and swap_memory have no effect on values; without
    back_prop no gradients flow.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     int(session.run(tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0])))
    6
    """
    turns = _Turns(body)
    found = control_flow.while_loop(
        cond,
        turns,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    leaves = nest.flatten(found)
    if active_graph() is None and tracer() is None and maximum_iterations is None:
        return turns.at_once(found, return_same_structure)
    if len(leaves) == 1 and not return_same_structure:
        return leaves[0]
    return found if active_graph() is None else turns.like_last(found)


class _Turns:
    """A loop's body, which has to be called as it is, and what its last turn returned."""

    def __init__(self, body: Any) -> None:
        self.body = a_function(
            body, "while_loop: cond and body must be callable: body"
        )
        self.last: Any = None

    def __call__(self, *variables: Any) -> Any:
        """Return what the body makes of the variables."""
        self.last = self.body(*variables)
        return self.last

    def like_last(self, found: Any) -> Any:
        """Return variables in a sequence of the kind of the last turn's; a bare one in a list."""
        several = isinstance(self.last, (list, tuple)) and len(self.last) == len(
            found
        )
        return nest.rebuild(self.last if several else [], list(found))

    def at_once(self, found: Any, in_sequence: bool) -> Any:
        """Return variables as TensorFlow 1 does without a graph: as the last turn returned them."""
        if self.last is None:
            return found
        whole = self.like_last(found)
        bare = len(whole) == 1 and not in_sequence
        bare = bare and not isinstance(self.last, (list, tuple))
        return whole[0] if bare else whole


@converts_functions
@at_home
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Return fn of each element of elems along the first axis, stacked.

    dtype (or fn_output_signature) is needed where the results' structure or dtypes differ from
    those of elems. Without back_prop no gradients flow.
    """
    return along.map_fn(fn, elems, parallel_iterations or 10, name, back_prop)


@at_home
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return fn(... fn(fn(initializer, first), second) ..., last), along the first axis.

    Without an initializer the first element begins.
    """
    return along.foldl(fn, elems, initializer, parallel_iterations, name, back_prop)


@at_home
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Return fn applied from the last element of elems to the first, with what was got.

    Without an initializer the last element begins.
    """
    return along.foldr(fn, elems, initializer, parallel_iterations, name, back_prop)


@at_home
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Return all values that fn(what was got, element) gives along the first axis, stacked.

    Without an initializer the first element begins; reverse goes from the last one.
    """
    return along.scan(
        fn, elems, initializer, parallel_iterations, reverse, name, back_prop
    )
