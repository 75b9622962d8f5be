"""What tensors' own methods and the lower layers need of the operators; fits core.operand.Operators.

The operators themselves stand in the other files of this folder; here they are only gathered.
"""

from __future__ import annotations

from tensorlite.ops.arithmetic import (
    add as add,
    divide as divide,
    multiply as multiply,
    negative as negative,
    subtract as subtract,
)
from tensorlite.ops.arrange import (
    matrix_transpose as matrix_transpose,
    reverse_axes as reverse_axes,
)
from tensorlite.ops.identity import to_device as to_device
from tensorlite.ops.join import stack as stack
from tensorlite.ops.shape import astype as astype, reshape as reshape
