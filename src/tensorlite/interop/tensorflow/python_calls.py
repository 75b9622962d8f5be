"""Calls of Python functions in GraphDefs: a token stands for the function, which is not written.

So no file brings code along. In the process that wrote it the function is found while a graph has
it; tokens cannot be guessed.
"""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn
from weakref import WeakKeyDictionary, WeakValueDictionary

from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.graph import Node
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.interop.tensorflow.writers.parts import Spelled
from tensorlite.ops.control.effects import EagerPyFunc, PyFunc

_tokens: WeakKeyDictionary[Op, str] = WeakKeyDictionary()
_ops: WeakValueDictionary[str, Op] = WeakValueDictionary()
_numbers = itertools.count()


def _token(op: Op) -> str:
    if op not in _tokens:
        token = f"pyfunc_{next(_numbers)}_{secrets.token_hex(8)}"
        _tokens[op] = token
        _ops[token] = op
    return _tokens[op]


def written(op: Op, node: Node) -> tuple[Spelled, ...]:
    """Return a node with the token of the function that it calls."""
    given = op.attributes()
    attributes: dict[str, Any] = {
        "token": _token(op),
        "Tin": tuple([x.dtype for x in node.inputs]),
        "Tout": tuple([spec.dtype for spec in given["specs"]]),
    }
    if op.name == "PyFunc" and not given["stateful"]:
        return (Spelled("PyFuncStateless", attributes),)
    return (Spelled(op.name, attributes),)


class Missing:
    """Stands for a function of another process, or of a graph that is gone."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __call__(self, *_: object) -> NoReturn:
        """Raise InvalidArgumentError."""
        raise InvalidArgumentError(
            f"callback {self.token} is not found: a GraphDef has no Python functions in it; build "
            "the graph by the program that wrote it, or feed the outputs of this node"
        )


def _read(make: Callable[..., Op], given: Given) -> Values:
    token = given.typed("token", (str, bytes))
    text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
    promised = given.dtypes("Tout")
    given.dtypes("Tin")
    given.check_attributes()
    made = make(Missing(text), tuple([TensorSpec(None, dtype) for dtype in promised]))
    found = _ops.get(text)
    if type(found) is type(made):
        specs = found.attributes()["specs"]
        if [spec.dtype for spec in specs] == list(promised):
            made = found
    return given.node(made, *given.tensors).outputs


PYTHON: dict[str, Adapter] = {
    "EagerPyFunc": partial(_read, EagerPyFunc),
    "PyFunc": partial(_read, PyFunc),
    "PyFuncStateless": partial(_read, partial(PyFunc, stateful=False)),
}
