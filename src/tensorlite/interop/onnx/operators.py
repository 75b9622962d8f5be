"""The table of what each operator becomes in ONNX, joined from the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable

from tensorlite.interop.onnx import (
    elementwise,
    flow,
    imaging,
    picking,
    products,
    reducing,
    shaping,
    slicing,
)
from tensorlite.interop.onnx.values import (
    Known,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)


def _constant(site: Site) -> Made:
    return Known(site.attribute("value"), site.node.name)


def _nothing(_: Site) -> Made:
    return []


HANDLERS: dict[str, Callable[[Site], Made]] = {
    **elementwise.HANDLERS,
    **shaping.HANDLERS,
    **slicing.HANDLERS,
    **picking.HANDLERS,
    **reducing.HANDLERS,
    **imaging.HANDLERS,
    **products.HANDLERS,
    **flow.HANDLERS,
    "Assert": _nothing,
    "Const": _constant,
    "NoOp": _nothing,
}
