"""The networks of tf.contrib.slim.nets: nodes, ends and values against those of TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.contrib import slim, slim_nets as nets

alexnet, vgg, overfeat = nets.alexnet, nets.vgg, nets.overfeat
resnet_v1, resnet_v2 = nets.resnet_v1, nets.resnet_v2
inception = nets.inception

scope_of: Any = slim.arg_scope

BUILT = [
    (alexnet.alexnet_v2, alexnet.alexnet_v2_arg_scope, 224, (201, 16, 11)),
    (overfeat.overfeat, overfeat.overfeat_arg_scope, 231, (205, 16, 11)),
    (vgg.vgg_16, vgg.vgg_arg_scope, 224, (378, 32, 21)),
    (resnet_v1.resnet_v1_50, resnet_v1.resnet_arg_scope, 224, (2524, 267, 75)),
    (inception.inception_v1, inception.inception_v1_arg_scope, 224, (2468, 230, 18)),
    (inception.inception_v2, inception.inception_v2_arg_scope, 224, (2959, 277, 17)),
    (inception.inception_v3, inception.inception_v3_arg_scope, 299, (4139, 388, 22)),
]
"""Networks with as many nodes, variables and ends as in TensorFlow."""
NODES = {
    "alexnet_v2": 119997072,
    "overfeat": 3350812204,
    "vgg_16": 827583635,
    "resnet_v1_50": 2055536019,
    "inception_v1": 1071090334,
    "inception_v2": 1230783665,
    "inception_v3": 2090326231,
}
"""Sums of TensorFlow's nodes: names and types of operators, in order."""


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


@pytest.mark.parametrize(
    ("network", "defaults", "size", "counts"),
    BUILT,
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_nodes_are_tensorflows(
    graph: Any, network: Any, defaults: Any, size: int, counts: tuple[int, int, int]
) -> None:
    images = tf.placeholder(tf.float32, [2, size, size, 3])
    with scope_of(defaults()):
        _, ends = network(images, 10)
    nodes = sorted(f"{x.name} {x.op}" for x in graph.as_graph_def().node)
    assert (len(nodes), len(tf.global_variables()), len(ends)) == counts
    assert crc32("\n".join(nodes).encode()) == NODES[network.__name__]


def given(variable: Any) -> Any:
    """Return values for a variable that both sides work out alike."""
    shape, name = variable.shape.as_list(), variable.op.name
    if name.endswith(("variance", "gamma")):
        return np.ones(shape, np.float32)
    width = np.sqrt(2.0 / max(1, int(np.prod(shape[:-1]))))
    waves = np.cos(np.arange(int(np.prod(shape))) * 0.37 + len(name))
    return (waves * width).astype(np.float32).reshape(shape)


def values(network: Any, defaults: Any, size: int, **options: Any) -> Any:
    waves = np.sin(np.arange(size * size * 3) * 0.01).astype(np.float32)
    with scope_of(defaults()):
        net, _ = network(tf.constant(waves.reshape(1, size, size, 3)), **options)
    with tf.Session() as session:
        for variable in tf.global_variables():
            variable.load(given(variable), session)
        return session.run(net)


def test_residual_networks_compute_what_tensorflows_do() -> None:
    found = values(
        resnet_v1.resnet_v1_50,
        resnet_v1.resnet_arg_scope,
        33,
        num_classes=3,
        is_training=False,
        output_stride=8,
    )
    wanted = [0.9556306004524231, 0.31065037846565247, -0.3763750195503235]
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-4)


def test_residual_networks_of_version_2_compute_what_tensorflows_do() -> None:
    found = values(
        resnet_v2.resnet_v2_50,
        resnet_v2.resnet_arg_scope,
        33,
        num_classes=3,
        is_training=False,
        output_stride=16,
    )
    wanted = [0.902978241443634, 0.48986417055130005, 0.010449167340993881]
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-4)


def test_inception_networks_compute_what_tensorflows_do() -> None:
    found = values(
        inception.inception_v2,
        inception.inception_v2_arg_scope,
        64,
        num_classes=3,
        is_training=False,
        depth_multiplier=0.5,
    )
    wanted = [0.22960907220840454, -0.22513940930366516, -0.6494163274765015]
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-4)


def test_what_networks_can_not_be_is_said() -> None:
    images = tf.zeros([1, 65, 65, 3])
    with pytest.raises(ValueError, match="Unknown final endpoint Mixed_9z"):
        inception.inception_v3_base(images, "Mixed_9z")
    with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
        inception.inception_v2(images, depth_multiplier=0.0)
    with pytest.raises(ValueError, match="multiple of 4, not 6"):
        resnet_v1.resnet_v1_50(images, output_stride=6)
    with pytest.raises(ValueError, match="output_stride cannot be reached"):
        nets.resnet_utils.stack_blocks_dense(
            images, [resnet_v1.resnet_v1_block("one", 2, 2, 2)], 3
        )


def test_networks_are_there_by_the_paths_of_tensorflows_files() -> None:
    inside = "tensorlite.compat.v1.contrib.slim.python.slim.nets"
    assert import_module(f"{inside}.resnet_v2").bottleneck is resnet_v2.bottleneck
    assert import_module(inside).resnet_v1.bottleneck is resnet_v1.bottleneck
    assert (
        import_module("tensorlite.compat.v1.contrib.slim.nets.vgg").vgg_16
        is vgg.vgg_16
    )


@pytest.mark.parametrize(
    ("network", "collection"),
    [
        (alexnet.alexnet_v2, "alexnet_v2/_end_points"),
        (overfeat.overfeat, "overfeat_end_points"),
        (vgg.vgg_16, "vgg_16/_end_points"),
        (vgg.vgg_19, "vgg_19_end_points"),
    ],
)
def test_ends_are_collected_under_tensorflows_names(
    graph: Any, network: Any, collection: str
) -> None:
    network(tf.placeholder(tf.float32, [1, 231, 231, 3]), 10, spatial_squeeze=False)
    assert collection in graph.get_all_collection_keys()
