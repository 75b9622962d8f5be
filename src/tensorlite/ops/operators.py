"""What tensors' own methods and the lower layers need of the operators; fits core.operand.Operators.

The operators themselves stand in the other files of this folder; here they are only gathered.
"""

from __future__ import annotations

from tensorlite.ops.arithmetic import (
    add as add,
)
from tensorlite.ops.arithmetic import (
    divide as divide,
)
from tensorlite.ops.arithmetic import (
    multiply as multiply,
)
from tensorlite.ops.arithmetic import (
    negative as negative,
)
from tensorlite.ops.arithmetic import (
    subtract as subtract,
)
from tensorlite.ops.arrange import (
    matrix_transpose as matrix_transpose,
)
from tensorlite.ops.arrange import (
    reverse_axes as reverse_axes,
)
from tensorlite.ops.compare import (
    bitwise_and as bitwise_and,
)
from tensorlite.ops.compare import (
    bitwise_invert as bitwise_invert,
)
from tensorlite.ops.compare import (
    bitwise_left_shift as bitwise_left_shift,
)
from tensorlite.ops.compare import (
    bitwise_or as bitwise_or,
)
from tensorlite.ops.compare import (
    bitwise_right_shift as bitwise_right_shift,
)
from tensorlite.ops.compare import (
    bitwise_xor as bitwise_xor,
)
from tensorlite.ops.compare import (
    equal as equal,
)
from tensorlite.ops.compare import (
    greater as greater,
)
from tensorlite.ops.compare import (
    greater_equal as greater_equal,
)
from tensorlite.ops.compare import (
    less as less,
)
from tensorlite.ops.compare import (
    less_equal as less_equal,
)
from tensorlite.ops.compare import (
    not_equal as not_equal,
)
from tensorlite.ops.identity import to_device as to_device
from tensorlite.ops.index import getitem as getitem, setitem as setitem
from tensorlite.ops.join import stack as stack
from tensorlite.ops.matmul import matmul as matmul
from tensorlite.ops.shape import astype as astype
from tensorlite.ops.sparse import accumulate as accumulate, densify as densify
from tensorlite.ops.matmul import matmul as matmul
from tensorlite.ops.shape import reshape as reshape
from tensorlite.ops.elementwise import (
    pow as pow,
)
from tensorlite.ops.create import (
    zeros_like as zeros_like,
    ones_like as ones_like,
)
from tensorlite.ops.rounding import (
    abs as abs,
    floor_divide as floor_divide,
    positive as positive,
    remainder as remainder,
)
from tensorlite.ops.numpy_names import numpy_call as numpy_call
from tensorlite.ops.differentiate import jacobian_rows as jacobian_rows
