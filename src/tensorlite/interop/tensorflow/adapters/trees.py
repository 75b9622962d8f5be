"""Ensembles of boosted trees in GraphDefs, as estimators of TensorFlow 1 export them."""

from __future__ import annotations

from functools import partial

from tensorlite.core.op import Op
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.state import boosted_trees as trees


def _ensemble(given: Given) -> Values:
    op = trees.BoostedTreesEnsembleResourceHandleOp(
        debug_name=given.name,
        container=given.typed("container", str),
        shared_name=given.typed("shared_name", str) or given.name,
    )
    return given.node(op).outputs


def _done(op: type[Op], given: Given) -> Values:
    return given.node(op(), *given.tensors).outputs


def _predicted(given: Given) -> Values:
    op = trees.BoostedTreesPredict(given.typed("logits_dimension", int))
    return given.node(op, *given.tensors).outputs


TREES: dict[str, Adapter] = {
    "BoostedTreesCreateEnsemble": partial(_done, trees.BoostedTreesCreateEnsemble),
    "BoostedTreesDeserializeEnsemble": partial(
        _done, trees.BoostedTreesDeserializeEnsemble
    ),
    "BoostedTreesEnsembleResourceHandleOp": _ensemble,
    "BoostedTreesPredict": _predicted,
    "BoostedTreesSerializeEnsemble": partial(
        _done, trees.BoostedTreesSerializeEnsemble
    ),
    "IsBoostedTreesEnsembleInitialized": partial(
        _done, trees.IsBoostedTreesEnsembleInitialized
    ),
}
