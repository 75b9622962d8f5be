"""tf.contrib.slim.nets: known networks, whose variables have TensorFlow's names."""

from tensorlite.compat.v1.contrib.slim_nets import (
    alexnet,
    inception,
    overfeat,
    resnet_utils,
    resnet_v1,
    resnet_v2,
    vgg,
)

__all__ = [
    "alexnet",
    "inception",
    "overfeat",
    "resnet_utils",
    "resnet_v1",
    "resnet_v2",
    "vgg",
]
