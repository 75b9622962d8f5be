"""What all models of keras.applications are made of: their input, their end, trained weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.v2.keras import layers
from tensorlite.compat.v2.keras.models import Model
from tensorlite.compat.v2.keras.src.data.files_fetched import get_file
from tensorlite.compat.v2.keras.src.models import histories, sketch
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
)

_ORDER = (
    *("include_top", "weights", "input_tensor", "input_shape", "pooling"),
    *("classes", "classifier_activation", "name"),
)
_HOME = "https://storage.googleapis.com/tensorflow/keras-applications/"


def named(args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that nearly all models have, by their names."""
    return {**dict(zip(_ORDER, args, strict=False)), **given}


class Begun:
    """What all models are asked for: their input, and what stands at their end.

    Trained weights are in a file whose name has two forms, with the classes and without.
    """

    def __init__(
        self,
        title: str,
        given: dict[str, Any],
        size: int = 224,
        files: tuple[str, str] | None = None,
    ) -> None:
        self.top = given.pop("include_top", True)
        self.weights = given.pop("weights", "imagenet")
        self.pooling = given.pop("pooling", None)
        self.classes = given.pop("classes", 1000)
        self.last = given.pop("classifier_activation", "softmax")
        tensor = given.pop("input_tensor", None)
        shape = given.pop("input_shape", None)
        self.name, self.title = given.pop("name", None) or title, title
        self._files = files
        self.is_trained = self.weights == "imagenet"
        if given:
            raise InvalidArgumentError(f"{title} has no arguments {sorted(given)}")
        if self.weights == "imagenet" and self.top and self.classes != 1000:
            raise InvalidArgumentError(
                f"{title}: weights='imagenet' with include_top=True have 1000 classes, not "
                f"{self.classes}; give include_top=False or weights=None"
            )
        if self.weights == "imagenet":
            self.weights = self._fetched()
        self.input: Any = tensor
        usual = (size, size, 3) if self.top else (None, None, 3)
        if tensor is None:
            self.input = layers.Input(shape=tuple(shape or usual))

    def _fetched(self) -> str:
        if self._files is None:
            raise NotFoundError(
                f"keras.applications: there are no trained weights for {self.title}; give "
                "weights=None, or the path of a file of weights"
            )
        whole = self._files[0 if self.top else 1]
        address = whole if "://" in whole else _HOME + whole
        name = address.rpartition("/")[2]
        try:
            return get_file(name, address, cache_subdir="models")
        except (OSError, UnavailableError) as error:
            raise NotFoundError(
                f"keras.applications: there are no trained weights for {self.title}: {name} is "
                f"not among Keras' models in its folder, and was not fetched ({error}); put it "
                "there, or give weights=None, or the path of a file of weights"
            ) from error

    def ended(
        self, x: Any, classify: Callable[[Any], Any], are_named: bool = True
    ) -> Any:
        """Return the model, whose classes a function adds if it is to have them."""
        x = classify(x) if self.top else self.pooled(x, are_named)
        inputs = sketch.sources(histories.recovered(self.input))
        made = Model(inputs[0] if len(inputs) == 1 else inputs, x, name=self.name)
        if self.weights is not None:
            made.load_weights(self.weights)
        return made

    def pooled(self, x: Any, are_named: bool = True) -> Any:
        """Return the means or the largest of each filter, if they are asked for."""
        if self.pooling == "avg":
            name = "avg_pool" if are_named else None
            return layers.GlobalAveragePooling2D(name=name)(x)
        if self.pooling == "max":
            name = "max_pool" if are_named else None
            return layers.GlobalMaxPooling2D(name=name)(x)
        return x

    def classes_of(self, x: Any) -> Any:
        """Return the classes' shares by means over the image and a dense layer."""
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        return self.predicted(x)

    def predicted(self, x: Any, **given: Any) -> Any:
        """Return what the dense layer `predictions` makes of rows."""
        kind = layers.Dense(
            self.classes, activation=self.last, name="predictions", **given
        )
        return kind(x)


def files(folder: str, name: str, without: str = "_notop") -> tuple[str, str]:
    """Return the names of the files of a model with its classes and without."""
    return f"{folder}/{name}.h5", f"{folder}/{name}{without}.h5"


def kernels(folder: str, name: str) -> tuple[str, str]:
    """Return such names as most models have."""
    return files(folder, f"{name}_weights_tf_dim_ordering_tf_kernels")


def normal(
    x: Any, name: str | None, epsilon: float = 1.001e-5, momentum: float = 0.99
) -> Any:
    """Return batches normalised by a layer of a name."""
    return layers.BatchNormalization(epsilon=epsilon, momentum=momentum, name=name)(x)


def whole(value: float, divisor: int = 8) -> int:
    """Return a number near another that 8 divides, and that is not much smaller."""
    made = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * value else made


def border(x: Any, size: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the zeros around images that a convolution by steps of two pads with."""
    half = size // 2
    odd = [1 if x.shape[1] is None else 1 - n % 2 for n in x.shape[1:3]]
    return (half - odd[0], half), (half - odd[1], half)
