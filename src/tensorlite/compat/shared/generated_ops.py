"""tensorflow.python's modules gen_..._ops: operators as functions, by TensorFlow's rule of names.

tf.raw_ops has the same by the operators' own names, and with keywords alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.shared import raw_ops
from tensorlite.interop.tensorflow.operators import ADAPTERS


def function_name(operator: str) -> str:
    """Return the name of an operator's function: "AddV2" is add_v2, "MatMul" is mat_mul.

    >>> from tensorlite.compat.shared.generated_ops import function_name
    >>> function_name("Conv2DBackpropInput"), function_name("L2Loss"), function_name("IFFT2D")
    ('conv2d_backprop_input', 'l2_loss', 'ifft2d')
    """
    parts = []
    for i, letter in enumerate(operator):
        rises = i > 0 and letter.isupper() and operator[i - 1].islower()
        falls = i > 0 and letter.isupper() and operator[i + 1 : i + 2].islower()
        parts.append(f"_{letter.lower()}" if rises or falls else letter.lower())
    return "".join(parts)


@cache
def _operators() -> dict[str, str]:
    """Return the operators by the names of their functions."""
    return {function_name(x): x for x in ADAPTERS if not x.startswith("_")}


raw_operator = raw_ops.__getattr__


def __dir__() -> list[str]:
    return sorted(_operators())


def __getattr__(name: str) -> Callable[..., Any]:
    """Return an operator as a function; those that TensorFlow hides begin with a line below."""
    if name in ADAPTERS and not name.startswith("_"):
        return raw_operator(name)
    operator = _operators().get(name.lstrip("_"))
    if operator is None or name.startswith("__"):
        raise attribute_error(__name__, name, ())
    return _function(name, operator)


def generated(name: str) -> Callable[..., Any]:
    """Return an operator as a function, by this one's name, for a public one that is the same.

    >>> generated("quantized_concat").__name__
    'quantized_concat'
    """
    return __getattr__(name)


@cache
def _function(name: str, operator: str) -> Callable[..., Any]:
    raw = getattr(raw_ops, operator)
    parameters = raw.__signature__

    def called(*args: Any, **kwargs: Any) -> Any:
        return raw(**parameters.bind(*args, **kwargs).arguments)

    called.__name__ = called.__qualname__ = name
    called.__doc__ = raw.__doc__
    vars(called)["__signature__"] = parameters
    return called
