"""tf.keras.applications: well-known models; trained weights are fetched, as Keras does.

The models' layers are in the modules beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.src.applications import (
    cells,
    efficient,
    inceptions,
    nets,
)
from tensorlite.compat.v2.keras.src.data.files_fetched import get_file
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)

_MEANS = np.array([103.939, 116.779, 123.68], np.float32)
_SHARES = np.array([0.485, 0.456, 0.406], np.float32)
_SPREADS = np.array([0.229, 0.224, 0.225], np.float32)


def _caffe(x: Any) -> Any:
    return x[..., ::-1] - _MEANS


def _tf(x: Any) -> Any:
    return x / 127.5 - 1.0


def _torch(x: Any) -> Any:
    return (x / 255.0 - _SHARES) / _SPREADS


def _same(x: Any) -> Any:
    return x


def _prepared(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return what brings pixels from 0 to 255 into the range that a model takes."""

    def preprocess_input(x: Any, data_format: str | None = None) -> Any:
        given = x.astype(np.float32) if isinstance(x, np.ndarray) else x
        if data_format != "channels_first":
            return change(given)
        return np.moveaxis(change(np.moveaxis(np.asarray(given), -3, -1)), -1, -3)

    return preprocess_input


_CLASSES = (
    "https://storage.googleapis.com/download.tensorflow.org/data/"
    "imagenet_class_index.json"
)


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, Any]]]:
    """Return the likeliest classes of each row: their number in WordNet, name and share."""
    rows = np.asarray(preds)
    if rows.ndim != 2 or rows.shape[1] != 1000:
        raise InvalidArgumentError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Received array with shape: {rows.shape}"
        )
    name = _CLASSES.rpartition("/")[2]
    try:
        path = get_file(name, _CLASSES, cache_subdir="models")
    except (OSError, UnavailableError) as error:
        raise NotFoundError(
            f"decode_predictions: the names of ImageNet's classes, {name}, are not among Keras' "
            f"models in its folder, and were not fetched ({error})"
        ) from error
    names = json.loads(Path(path).read_text(encoding="utf-8"))
    return [
        [(*names[str(i)], row[i]) for i in np.argsort(row)[::-1][:top]]
        for row in rows
    ]


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

ResNet50V2 = partial(cells.resnet_v2, "resnet50v2")
ResNet101V2 = partial(cells.resnet_v2, "resnet101v2")
ResNet152V2 = partial(cells.resnet_v2, "resnet152v2")
InceptionV3, Xception = inceptions.inception_v3, inceptions.xception
InceptionResNetV2 = inceptions.inception_resnet_v2
NASNetMobile = partial(cells.nasnet, "mobile")
NASNetLarge = partial(cells.nasnet, "large")
MobileNetV3Small = partial(efficient.mobilenet_v3, "small")
MobileNetV3Large = partial(efficient.mobilenet_v3, "large")
EfficientNetB0 = partial(efficient.efficientnet, "b0")
EfficientNetB1 = partial(efficient.efficientnet, "b1")
EfficientNetB2 = partial(efficient.efficientnet, "b2")
EfficientNetB3 = partial(efficient.efficientnet, "b3")
EfficientNetB4 = partial(efficient.efficientnet, "b4")
EfficientNetB5 = partial(efficient.efficientnet, "b5")
EfficientNetB6 = partial(efficient.efficientnet, "b6")
EfficientNetB7 = partial(efficient.efficientnet, "b7")
EfficientNetV2B0 = partial(efficient.efficientnet_v2, "b0")
EfficientNetV2B1 = partial(efficient.efficientnet_v2, "b1")
EfficientNetV2B2 = partial(efficient.efficientnet_v2, "b2")
EfficientNetV2B3 = partial(efficient.efficientnet_v2, "b3")
EfficientNetV2S = partial(efficient.efficientnet_v2, "s")
EfficientNetV2M = partial(efficient.efficientnet_v2, "m")
EfficientNetV2L = partial(efficient.efficientnet_v2, "l")
ConvNeXtTiny = partial(cells.convnext, "tiny")
ConvNeXtSmall = partial(cells.convnext, "small")
ConvNeXtBase = partial(cells.convnext, "base")
ConvNeXtLarge = partial(cells.convnext, "large")
ConvNeXtXLarge = partial(cells.convnext, "xlarge")


def _named(*names: str) -> dict[str, Any]:
    return {name: globals()[name] for name in names}


_RESNETS = ("ResNet50", "ResNet101", "ResNet152")
vgg16 = _space(_caffe, **_named("VGG16"))
vgg19 = _space(_caffe, **_named("VGG19"))
resnet = _space(_caffe, **_named(*_RESNETS))
resnet50 = _space(_caffe, **_named("ResNet50"))
resnet_v2 = _space(_tf, **_named(*(f"{name}V2" for name in _RESNETS)))
mobilenet = _space(_tf, **_named("MobileNet"))
mobilenet_v2 = _space(_tf, **_named("MobileNetV2"))
mobilenet_v3 = _space(_same, **_named("MobileNetV3Small", "MobileNetV3Large"))
densenet = _space(_torch, **_named("DenseNet121", "DenseNet169", "DenseNet201"))
inception_v3 = _space(_tf, **_named("InceptionV3"))
inception_resnet_v2 = _space(_tf, **_named("InceptionResNetV2"))
xception = _space(_tf, **_named("Xception"))
nasnet = _space(_tf, **_named("NASNetMobile", "NASNetLarge"))
efficientnet = _space(_same, **_named(*(f"EfficientNetB{i}" for i in range(8))))
efficientnet_v2 = _space(
    _same,
    **_named(
        *(f"EfficientNetV2{x}" for x in ("B0", "B1", "B2", "B3", "S", "M", "L"))
    ),
)
convnext = _space(
    _same,
    **_named(*(f"ConvNeXt{x}" for x in ("Tiny", "Small", "Base", "Large", "XLarge"))),
)
_CHANGES = {"caffe": _caffe, "tf": _tf, "torch": _torch}


def _by_mode(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    if mode not in _CHANGES:
        raise InvalidArgumentError(
            f"preprocess_input: `mode` is one of {', '.join(_CHANGES)}, not {mode!r}"
        )
    return _prepared(_CHANGES[mode])(x, data_format)


imagenet_utils = SimpleNamespace(
    preprocess_input=_by_mode, decode_predictions=decode_predictions
)


__dir__ = listing(__name__, globals())


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
