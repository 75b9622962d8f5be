"""Convolution and pooling: ONNX has channels first, so that is how their results are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.core.spec import all_known
from tensorlite.interop.onnx.values import (
    Order,
    UnsupportedError,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)

LAST: Order = (0, 2, 3, 1)
"""Channels last, of what is stored with channels first."""
FILTERS: Order = (2, 3, 1, 0)
"""(height, width, channels, results), of what is stored as (results, channels, height, width)."""


def _layout(site: Site) -> Order:
    return LAST if site.attribute("data_format") == "NHWC" else None


def _spatial(site: Site, values: Sequence[Any]) -> list[Any]:
    return list(values[1:3] if _layout(site) else values[2:4])


def _pads(
    site: Site, i: int, size: Sequence[int], dilations: Sequence[int]
) -> dict[str, Any]:
    """Return the attributes that say how much an image, input `i`, is padded."""
    padding = site.attribute("padding")
    if padding == "VALID":
        return {}
    if padding == "EXPLICIT":
        given = site.attribute("explicit_paddings")
        pairs = _spatial(site, [given[k : k + 2] for k in range(0, 8, 2)])
        return {"pads": [pairs[0][0], pairs[1][0], pairs[0][1], pairs[1][1]]}
    strides = _spatial(site, site.attribute("strides"))
    image = _spatial(site, site.shape(i))
    totals = [
        _same(*column) for column in zip(image, size, strides, dilations, strict=True)
    ]
    if None in totals:
        return {"auto_pad": "SAME_UPPER"}
    before = [total // 2 for total in totals if total is not None]
    after = [total - total // 2 for total in totals if total is not None]
    return {"pads": [*before, *after]}


def _same(image: int | None, size: int, stride: int, dilation: int) -> int | None:
    """Return how much SAME pads in all; None when that depends on a size that is not known."""
    reach = (size - 1) * dilation + 1
    if stride == 1:
        return reach - 1
    if image is None:
        return None
    return max((-(-image // stride) - 1) * stride + reach - image, 0)


def _size_of_filters(site: Site) -> tuple[int, int, int, int]:
    sizes = site.shape(1)
    if not all_known(sizes):
        raise UnsupportedError("the sizes of its filters are not known")
    height, width, depth, filters = sizes
    return height, width, depth, filters


def _window(site: Site, image: int, size: Sequence[int]) -> dict[str, Any]:
    dilations = _spatial(site, site.attribute("dilations"))
    return {
        "kernel_shape": list(size),
        "strides": _spatial(site, site.attribute("strides")),
        "dilations": dilations,
        **_pads(site, image, size, dilations),
    }


def _convolution(site: Site) -> Made:
    height, width, depth, _ = _size_of_filters(site)
    layout = _layout(site)
    channels = site.shape(0)[3 if layout else 1]
    if channels is None:
        raise UnsupportedError("the number of channels is not known")
    given = site.name(0, layout), site.name(1, FILTERS)
    window = _window(site, 0, (height, width))
    return site.view(
        site.add("Conv", *given, group=channels // depth, **window), layout
    )


def _depthwise(site: Site) -> Made:
    height, width, channels, times = _size_of_filters(site)
    layout = _layout(site)
    shape = (channels * times, 1, height, width)
    known = site.known(1)
    if known is None:
        filters = site.reshaped(site.name(1, (2, 3, 0, 1)), shape)
    else:
        filters = site.constant(known.transpose(2, 3, 0, 1).reshape(shape))
    window = _window(site, 0, (height, width))
    name = site.add("Conv", site.name(0, layout), filters, group=channels, **window)
    return site.view(name, layout)


def _transposed(site: Site) -> Made:
    """Return a convolution's gradient for its images, which is a transposed convolution."""
    height, width, _, _ = _size_of_filters(site)
    layout = _layout(site)
    image = _spatial(site, site.node.outputs[0].spec.dims)
    small = _spatial(site, site.shape(2))
    if None in image or None in small:
        raise UnsupportedError("the height and width of its images are not known")
    window = _window_of_result(site, image, (height, width))
    pads = window["pads"]
    reach = [
        (n - 1) * stride + (k - 1) * dilation + 1
        for n, stride, k, dilation in zip(
            small,
            window["strides"],
            (height, width),
            window["dilations"],
            strict=True,
        )
    ]
    more = [
        whole - (reach[k] - pads[k] - pads[k + 2]) for k, whole in enumerate(image)
    ]
    given = site.name(2, layout), site.name(1, FILTERS)
    name = site.add("ConvTranspose", *given, output_padding=more, **window)
    return site.view(name, layout)


def _window_of_result(
    site: Site, image: Sequence[int], size: Sequence[int]
) -> dict[str, Any]:
    strides, dilations = (
        _spatial(site, site.attribute(x)) for x in ("strides", "dilations")
    )
    found = {"kernel_shape": list(size), "strides": strides, "dilations": dilations}
    pads = [0, 0, 0, 0]
    if site.attribute("padding") == "SAME":
        totals = [
            _same(*column) or 0
            for column in zip(image, size, strides, dilations, strict=True)
        ]
        pads = [t // 2 for t in totals] + [t - t // 2 for t in totals]
    elif site.attribute("padding") == "EXPLICIT":
        pads = _pads(site, 2, size, dilations)["pads"]
    return {**found, "pads": pads}


def _pool(op: str) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        size, layout = _spatial(site, site.attribute("ksize")), _layout(site)
        attributes = {
            "kernel_shape": size,
            "strides": _spatial(site, site.attribute("strides")),
            **_pads(site, 0, size, (1, 1)),
        }
        return site.view(site.add(op, site.name(0, layout), **attributes), layout)

    return handle


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "Conv2D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "Conv2DBackpropInput": _transposed,
    "MaxPool": _pool("MaxPool"),
    "AvgPool": _pool("AveragePool"),
}
