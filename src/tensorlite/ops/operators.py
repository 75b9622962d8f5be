"""What tensors' own methods and lower layers need of the operators: fits core/operand.Operators.

The operators themselves stand in the other files of this folder; here they are only gathered.
"""

from __future__ import annotations

from tensorlite.ops.arrays.arrange import matrix_transpose, reverse_axes
from tensorlite.ops.arrays.create import ones_like, zeros_like
from tensorlite.ops.arrays.identity import to_device
from tensorlite.ops.arrays.index import getitem, setitem
from tensorlite.ops.arrays.shape import astype, reshape
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.control.differentiate import jacobian_rows
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.arithmetic import add, divide, multiply, negative, subtract
from tensorlite.ops.math.bits import (
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
)
from tensorlite.ops.math.compare import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
    operands_differ,
    operands_equal,
)
from tensorlite.ops.math.elementwise import pow
from tensorlite.ops.math.rounding import abs, floor_divide, positive, remainder
from tensorlite.ops.numpy_names import numpy_call
from tensorlite.ops.sparse.slices import accumulate, densify

__all__ = [
    "abs",
    "accumulate",
    "add",
    "astype",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "densify",
    "divide",
    "equal",
    "floor_divide",
    "getitem",
    "greater",
    "greater_equal",
    "jacobian_rows",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "matmul",
    "matrix_transpose",
    "multiply",
    "negative",
    "not_equal",
    "operands_differ",
    "operands_equal",
    "numpy_call",
    "ones_like",
    "positive",
    "pow",
    "remainder",
    "reshape",
    "reverse_axes",
    "setitem",
    "stack",
    "subtract",
    "to_device",
    "zeros_like",
]
