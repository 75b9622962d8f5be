"""tf.xla: what asks for its own compiler runs as tensorlite's plans do, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import tensorlite as tl
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import nests
from tensorlite.compat.v2.framework import convert_to_tensor
from tensorlite.core.dispatch import executing_eagerly


def _compile(computation: Callable[..., Any], inputs: Any = None) -> Any:
    """Return what a function, traced, makes of inputs; results without structure as a list."""
    if not isinstance(inputs, (list, tuple, type(None))):
        raise TypeError(f"inputs={inputs!r} must be a list")

    def computed(*given: Any) -> Any:
        made = computation(*given)
        if made is None or (isinstance(made, tuple) and not made):
            raise TypeError(
                "the computation returns nothing, and nothing is compiled"
            )
        listed = _listed(made)
        return nests.map_structure(_tensor, made if listed is None else listed)

    given = nests.map_structure(convert_to_tensor, list(inputs or ()))
    return tl.function(computed)(*given) if executing_eagerly() else computed(*given)


def _listed(made: Any) -> list[Any] | None:
    """Return results that have no structure but being several as a list."""
    if not nests.is_nested(made):
        return [made]
    flat = isinstance(made, (list, tuple)) and not any(map(nests.is_nested, made))
    return list(made) if flat else None


def _tensor(x: Any) -> Any:
    if x is None:
        raise ValueError(
            "XLA computation function return values must all either be Operations or "
            "convertible to Tensors; one is None"
        )
    return convert_to_tensor(x)


@contextmanager
def _jit_scope(
    compile_ops: Any = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    if executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try "
            "use it inside tf.function."
        )
    yield


experimental = SimpleNamespace(compile=_compile, jit_scope=_jit_scope)


__dir__ = listing(__name__, ["experimental"])


def __getattr__(name: str) -> object:
    """Say what there is instead of a name that is not there."""
    raise attribute_error(__name__, name, globals())
