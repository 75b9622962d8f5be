"""decode_json_example: TensorFlow's Examples, written as JSON, as the bytes that files hold.

What parses those is in examples.py.
"""

from __future__ import annotations

from tensorlite.core import dtypes
from tensorlite.core.dispatch import call
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.records.example_messages import example_from_json
from tensorlite.ops.strings.joining import as_bytes
from tensorlite.ops.strings.text import each_string, strings_only

__all__: list[str] = []


class DecodeJSONExample(Op):
    """Examples in JSON as bytes."""

    differentiable = False
    host = (0,)

    def infer(self, x: TensorSpec) -> TensorSpec:
        """Return the operand's shape."""
        strings_only(self, x)
        return TensorSpec(x.shape, dtypes.string)

    def kernel(self, xp: Xp, x: Array) -> Array:
        """Return the bytes; InvalidArgumentError for what is no Example."""

        def read(text: str | bytes) -> bytes:
            message = example_from_json("Example", as_bytes(text))
            found: bytes = message.SerializeToString(deterministic=True)
            return found

        return each_string(read, x)


def decode_json_example(x: TensorLike) -> Tensor:
    r"""Return Examples written as JSON as the bytes of their messages.

    >>> from tensorlite.ops.records.json_examples import decode_json_example
    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": ["5"]}}}}}'
    >>> decode_json_example(text).item()
    b'\n\x0c\n\n\n\x01a\x12\x05\x1a\x03\n\x01\x05'
    """
    return call(DecodeJSONExample(), x)
