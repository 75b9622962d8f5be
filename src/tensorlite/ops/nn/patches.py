"""What windows see as they move over a batch: slices, one for each element of the window.

Patches, morphology and dilated pooling are made of them. Convolution and plain pooling have kernels
of their own, in conv.py and pool.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Literal

from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.create import ones_like
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.padding import pad_ends
from tensorlite.ops.arrays.stack import stack
from tensorlite.ops.composite import Composite, composed
from tensorlite.ops.math.arithmetic import sum as sum_of
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.reduce import max as max_of

__all__ = [
    "extract_patches",
    "extract_volume_patches",
    "pool",
]

Sizes = int | Sequence[int]


def each(value: Sizes, rank: int, what: str) -> tuple[int, ...]:
    """Return a number for each of `rank` axes, of one for all, of that many, or of two more.

    Two more are TensorFlow's, with 1 for batch and channels.
    """
    given = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(given) == rank + 2 and given[0] == given[-1] == 1:
        given = given[1:-1]
    if len(given) != rank or min(given) < 1:
        raise InvalidArgumentError(
            f"{what}={value!r}; allowed are one positive integer, {rank} of them, or {rank + 2} "
            "of which the first and last are 1"
        )
    return given


def _ends(size: Any, reach: int, stride: int, padding: str) -> tuple[Any, Any]:
    """Return how much SAME padding puts before and after an axis; nothing for VALID."""
    if padding == "VALID":
        return 0, 0
    short = ((size + stride - 1) // stride - 1) * stride + reach - size
    total = max(short, 0) if isinstance(short, int) else maximum(short, 0)
    return total // 2, total - total // 2


def seen(
    x: Tensor,
    window: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    fill: float = 0.0,
) -> list[Tensor]:
    """Return for each element of the window what it meets: the first axis is the batch's."""
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError(f"padding={padding!r}; allowed: 'SAME', 'VALID'")
    rank, have = len(window), sizes(x)
    reach = [(n - 1) * rate + 1 for n, rate in zip(window, rates, strict=True)]
    ends = [_ends(have[i + 1], reach[i], strides[i], padding) for i in range(rank)]
    if padding == "SAME":
        rest = [(0, 0)] * (len(have) - rank - 1)
        x = pad_ends(x, [(0, 0), *ends, *rest], fill)
    counts = [
        (have[i + 1] + sum(ends[i]) - reach[i]) // strides[i] + 1 for i in range(rank)
    ]
    if any(isinstance(count, int) and count < 1 for count in counts):
        raise ShapeError(
            f"a window that reaches over {reach} does not fit {x.spec}; use padding='SAME'"
        )
    found = []
    for index in product(*map(range, window)):
        starts = [i * rate for i, rate in zip(index, rates, strict=True)]
        parts = zip(starts, counts, strides, strict=True)
        cuts = [slice(at, at + (n - 1) * step + 1, step) for at, n, step in parts]
        found.append(x[(slice(None), *cuts)])
    return found


class ExtractImagePatches(Composite):
    """The patches of images, each along the last axis."""

    ksizes: tuple[int, ...]
    strides: tuple[int, ...]
    rates: tuple[int, ...]
    padding: str

    def compose(self, images: Tensor) -> Tensor:
        """Return a patch for each place of the window."""
        steps = (self.ksizes[1:3], self.strides[1:3], self.rates[1:3])
        return _patches(images, *steps, self.padding, 2)


def extract_patches(
    images: TensorLike,
    window: Sizes,
    strides: Sizes,
    rates: Sizes = 1,
    padding: str = "VALID",
) -> Tensor:
    """Return the patches of images (batch, height, width, channels), one for each place.

    A patch lies along the last axis: rows, columns, channels, in this order.

    >>> image = tl.reshape(tl.arange(9), (1, 3, 3, 1))
    >>> print(tl.image.extract_patches(image, 2, 1)[0, 0])
    [[0 1 3 4]
     [1 2 4 5]]
    """
    op = ExtractImagePatches(
        (1, *each(window, 2, "window"), 1),
        (1, *each(strides, 2, "strides"), 1),
        (1, *each(rates, 2, "rates"), 1),
        padding,
    )
    made: Tensor = composed(op, images)
    return made


class ExtractVolumePatches(Composite):
    """The patches of volumes, each along the last axis."""

    ksizes: tuple[int, ...]
    strides: tuple[int, ...]
    padding: str

    def compose(self, volumes: Tensor) -> Tensor:
        """Return a patch for each place of the window."""
        steps = self.ksizes[1:4], self.strides[1:4], 1
        return _patches(volumes, *steps, self.padding, 3)


def extract_volume_patches(
    volumes: TensorLike, window: Sizes, strides: Sizes, padding: str = "VALID"
) -> Tensor:
    """Return the patches of volumes (batch, depth, height, width, channels).

    >>> tl.image.extract_volume_patches(tl.ones((1, 3, 3, 3, 2)), 2, 1).shape
    (1, 2, 2, 2, 16)
    """
    op = ExtractVolumePatches(
        (1, *each(window, 3, "window"), 1),
        (1, *each(strides, 3, "strides"), 1),
        padding,
    )
    made: Tensor = composed(op, volumes)
    return made


def _patches(
    x: TensorLike,
    window: Sizes,
    strides: Sizes,
    rates: Sizes,
    padding: str,
    rank: int,
) -> Tensor:
    found = seen(
        to_tensor(x),
        each(window, rank, "window"),
        each(strides, rank, "strides"),
        each(rates, rank, "rates"),
        padding,
    )
    return concat(found, axis=-1)


def _greatest(parts: list[Tensor], _: list[Tensor]) -> Tensor:
    return max_of(stack(parts), axis=0)


def _mean(parts: list[Tensor], counted: list[Tensor]) -> Tensor:
    return sum_of(stack(parts), axis=0) / sum_of(stack(counted), axis=0)


_POOLING: dict[str, tuple[float, Callable[[list[Tensor], list[Tensor]], Tensor]]] = {
    "MAX": (float("-inf"), _greatest),
    "AVG": (0.0, _mean),
}


def pool(
    x: TensorLike,
    window: Sizes,
    pooling_type: Literal["AVG", "MAX"],
    strides: Sizes | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sizes | None = None,
) -> Tensor:
    """Return the greatest or mean element of each window of any number of axes, or dilated ones.

    `x` is (batch, ..., channels), or as a `data_format` that begins with "NC" says.

    >>> print(tl.nn.pool([[[1.0], [3.0], [2.0]]], 2, "MAX", dilations=2)[0, :, 0])
    [2.]
    """
    tensor = floating(to_tensor(x))
    rank = tensor.ndim - 2
    sides = each(window, rank, "window")
    steps = each(1 if strides is None else strides, rank, "strides")
    apart = each(1 if dilations is None else dilations, rank, "dilations")
    if pooling_type not in _POOLING:
        raise InvalidArgumentError(
            f"pooling_type={pooling_type!r}; allowed: 'AVG', 'MAX'"
        )
    fill, reduced = _POOLING[pooling_type]
    first = data_format is not None and data_format.startswith("NC")
    if first:
        tensor = moveaxis(tensor, 1, -1)
    parts = seen(tensor, sides, steps, apart, padding.upper(), fill)
    counted = seen(ones_like(tensor), sides, steps, apart, padding.upper())
    y = reduced(parts, counted)
    return moveaxis(y, -1, 1) if first else y
