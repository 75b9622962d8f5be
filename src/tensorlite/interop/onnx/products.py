"""Products of matrices and einsum; what is to be transposed is a view, see writing.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorlite.interop.onnx.values import (
    Flat,
    Known,
)
from tensorlite.interop.onnx.writing import (
    Made,
    Site,
)


def _product(first: str, second: str) -> Callable[[Site], Made]:
    def handle(site: Site) -> Made:
        values = [site.value(0), site.value(1)]
        for i, flag in enumerate((first, second)):
            if site.attribute(flag):
                rank = len(site.shape(i))
                perm = [*range(rank - 2), rank - 1, rank - 2]
                values[i] = site.transposed(values[i], perm)
        flat, weights = values
        if isinstance(flat, Flat) and isinstance(weights, Known):
            return _flat_product(site, flat, weights)
        return site.add("MatMul", *[site.scope.name(value) for value in values])

    return handle


def _flat_product(site: Site, flat: Flat, weights: Known) -> str:
    """Return the product of rows as they are stored with weights whose rows are put likewise."""
    node = site.tensor(0).node
    columns = flat.columns(node.inputs[0].spec.dims)
    moved = np.empty_like(weights.array)
    moved[columns] = weights.array
    rows = site.reshaped(flat.source.name, [-1, flat.size])
    return site.add("MatMul", rows, site.scope.name(Known(moved, weights.hint)))


def _einsum(site: Site) -> Made:
    return site.add("Einsum", *site.names(), equation=site.attribute("equation"))


HANDLERS: dict[str, Callable[[Site], Made]] = {
    "MatMul": _product("transpose_a", "transpose_b"),
    "BatchMatMulV2": _product("adj_x", "adj_y"),
    "Einsum": _einsum,
}
