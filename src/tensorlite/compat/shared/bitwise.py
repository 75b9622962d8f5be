"""Functions of bits, which TensorFlow 1 and 2 have alike."""

from __future__ import annotations

import tensorlite as tl
from tensorlite.compat.shared.making import binary, unary

__all__ = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]

bitwise_and = binary("BitwiseAnd", tl.bitwise_and)
bitwise_or = binary("BitwiseOr", tl.bitwise_or)
bitwise_xor = binary("BitwiseXor", tl.bitwise_xor)
invert = unary("Invert", tl.bitwise_invert)
left_shift = binary("LeftShift", tl.bitwise_left_shift)
right_shift = binary("RightShift", tl.bitwise_right_shift)
