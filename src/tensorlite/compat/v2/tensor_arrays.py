"""TensorArray as TensorFlow 2 has it."""

from __future__ import annotations

from tensorlite.compat.shared import tensor_arrays


class TensorArray(tensor_arrays.TensorArray):
    """A list of tensors; each change returns the list as it is then.

    The number of elements stacked is known where that of the list is given.
    """

    tells_size = True
