"""tf.keras.applications: well-known models without trained weights, none of which are here.

The models' layers are in application_nets.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v2.keras import application_nets as nets
from tensorlite.core.errors import NotFoundError

_MEANS = np.array([103.939, 116.779, 123.68], np.float32)
_SHARES = np.array([0.485, 0.456, 0.406], np.float32)
_SPREADS = np.array([0.229, 0.224, 0.225], np.float32)


def _caffe(x: Any) -> Any:
    return x[..., ::-1] - _MEANS


def _tf(x: Any) -> Any:
    return x / 127.5 - 1.0


def _torch(x: Any) -> Any:
    return (x / 255.0 - _SHARES) / _SPREADS


def _prepared(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return what brings pixels from 0 to 255 into the range that a model takes."""

    def preprocess_input(x: Any, data_format: str | None = None) -> Any:
        given = x.astype(np.float32) if isinstance(x, np.ndarray) else x
        if data_format != "channels_first":
            return change(given)
        return np.moveaxis(change(np.moveaxis(np.asarray(given), -3, -1)), -1, -3)

    return preprocess_input


def decode_predictions(preds: Any, top: int = 5) -> Any:
    raise NotFoundError(
        "decode_predictions: the names of ImageNet's classes are not here, and none are downloaded"
    )


def _space(change: Callable[[Any], Any], **models: Any) -> SimpleNamespace:
    return SimpleNamespace(
        preprocess_input=_prepared(change),
        decode_predictions=decode_predictions,
        **models,
    )


VGG16, VGG19 = partial(nets.vgg, "vgg16"), partial(nets.vgg, "vgg19")
ResNet50 = partial(nets.resnet, "resnet50")
ResNet101 = partial(nets.resnet, "resnet101")
ResNet152 = partial(nets.resnet, "resnet152")
MobileNet = nets.mobilenet
MobileNetV2 = nets.mobilenet_v2
DenseNet121 = partial(nets.densenet, "densenet121")
DenseNet169 = partial(nets.densenet, "densenet169")
DenseNet201 = partial(nets.densenet, "densenet201")

vgg16 = _space(_caffe, VGG16=VGG16)
vgg19 = _space(_caffe, VGG19=VGG19)
resnet = _space(_caffe, ResNet50=ResNet50, ResNet101=ResNet101, ResNet152=ResNet152)
resnet50 = _space(_caffe, ResNet50=ResNet50)
mobilenet = _space(_tf, MobileNet=MobileNet)
mobilenet_v2 = _space(_tf, MobileNetV2=MobileNetV2)
densenet = _space(
    _torch,
    DenseNet121=DenseNet121,
    DenseNet169=DenseNet169,
    DenseNet201=DenseNet201,
)
imagenet_utils = _space(_caffe)


def __getattr__(name: str) -> Any:
    """Return what says that a model is not there, under the name of any model."""
    if not name[0].isupper():
        raise attribute_error(__name__, name, globals())

    def absent(*args: Any, **kwargs: Any) -> Any:
        raise NotFoundError(
            f"keras.applications.{name}: this model is not served; build it of keras.layers, and "
            "load weights from a checkpoint"
        )

    return absent
