"""tf.contrib.losses.metric_learning: values and gradients that TensorFlow 1.15 gives."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.ops.nn import metric_learning as own
from tests.checks import check_gradient

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped
losses = tf.contrib.losses.metric_learning

DRAWN = np.random.RandomState(3)
FIRST = DRAWN.randn(8, 3).astype(np.float32)
SECOND = DRAWN.randn(8, 3).astype(np.float32)
FIRST[5] = FIRST[2]
LABELS = np.array([0, 1, 1, 2, 0, 2, 1, 3], np.int32)
ARE_ALIKE = np.array([0, 1, 0, 1, 1, 0, 0, 1], np.int32)
SEVERAL = [[0, 2], [1], [1, 2], [3]]


def sparse_labels() -> list[Any]:
    return [
        tf.SparseTensor([[c] for c in row], [1] * len(row), [4]) for row in SEVERAL
    ]


def of_several(a: Any, b: Any) -> Any:
    return losses.npairs_loss_multilabel(sparse_labels(), a, b)


WANTED: list[tuple[Callable[..., Any], float, str, list[list[float]]]] = [
    # The loss; its value, the name of its node, gradients of the second and the last example.
    (
        lambda a, b: losses.triplet_semihard_loss(LABELS, a),
        0.034026335924863815,
        "triplet_semihard_loss",
        [[-0.569172, 0.164736, 0.166058], [0.237603, -0.517443, -0.284353]],
    ),
    (
        lambda a, b: losses.triplet_semihard_loss(0 * LABELS, a),
        6.733222484588623,
        "triplet_semihard_loss",
        [[-1.132029, -0.136072, -0.177036], [-0.184691, 0.871663, 0.16095]],
    ),
    (
        lambda a, b: losses.contrastive_loss(ARE_ALIKE, a, b, margin=2.0),
        4.097301959991455,
        "contrastive_loss",
        [[-0.425745, 0.122862, -0.031182], [0.095736, 0.590008, 0.051751]],
    ),
    (
        lambda a, b: losses.npairs_loss(LABELS, a, b, reg_lambda=0.1),
        3.62239933013916,
        "add_1",
        [[-0.103181, -0.099368, 0.0258], [0.142135, 0.317865, -0.13547]],
    ),
    (
        lambda a, b: losses.lifted_struct_loss(LABELS, a, margin=3.0),
        14.259672164916992,
        "liftedstruct_loss",
        [[-1.402855, 0.500235, 0.412778], [0.271352, -0.358774, -0.139358]],
    ),
    (
        of_several,
        2.852954864501953,
        "",
        [[-0.250355, -0.334177, -0.085337], [-0.042664, 0.019161, 0.675126]],
    ),
]


@pytest.mark.parametrize(("loss", "value", "name", "slopes"), WANTED)
def test_losses_are_tensorflows(
    loss: Callable[..., Any], value: float, name: str, slopes: list[list[float]]
) -> None:
    count = len(SEVERAL) if loss is of_several else len(LABELS)
    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.constant(FIRST[:count]), tf.constant(SECOND[:count])
        made = loss(*given)
        found, slope = session.run([made, tf.gradients(made, given[0])[0]])
    np.testing.assert_allclose(found, value, rtol=1e-6)
    np.testing.assert_allclose(slope[[1, -1]], slopes, rtol=1e-5, atol=2e-6)
    assert not name or made.op.name == name


@pytest.mark.parametrize("loss", [own.triplet_semihard_loss, own.lifted_struct_loss])
def test_gradients_are_slopes(loss: Callable[..., Any]) -> None:
    x = SECOND.astype(np.float64)
    check_gradient(lambda x: loss(tl.asarray(LABELS), x, 2.0), x, order=1)


def test_labels_of_pairs_are_sparse() -> None:
    with pytest.raises(TypeError, match="must be a list of SparseTensors"):
        losses.npairs_loss_multilabel([[1, 0]], FIRST[:1], SECOND[:1])


def test_losses_are_found_by_paths() -> None:
    contrib = "tensorlite.compat.v1.contrib.losses"
    for path in ("python.metric_learning", "python.metric_learning.metric_loss_ops"):
        module = import_module(f"{contrib}.{path}")
        assert module.triplet_semihard_loss is losses.triplet_semihard_loss
    by_path = import_module(f"{contrib}.metric_learning")
    assert by_path.npairs_loss is losses.npairs_loss
    with pytest.raises(AttributeError, match="cluster_loss"):
        _ = losses.cluster_loss
