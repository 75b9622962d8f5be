"""checked: kernels of plans whose results are looked at for NaN and infinity, while that is asked.

What is looked for and how it is told: core/numerics.py.
"""

from __future__ import annotations

from typing import Any

from tensorlite.core.numerics import check
from tensorlite.core.xp import Array, Xp
from tensorlite.runtime.plan import Composite, Kernel, Task, settled


def checked(task: Task, kernel: Kernel) -> Kernel:
    """Return a kernel that raises NumericsError where it makes a NaN or an infinity.

    For instrument.py. Of kernels with plans inside it is those whose kernels are looked at.
    """
    if isinstance(kernel, Composite):
        return kernel
    op = task.op

    def checking(xp: Xp, *arrays: Array) -> Any:
        made = kernel(xp, *arrays)
        results = made if type(made) is tuple else (made,)
        check(op, arrays, [y if y is None else settled(xp, y) for y in results])
        return made

    return checking
