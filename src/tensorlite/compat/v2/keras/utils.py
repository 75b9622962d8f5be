"""tf.keras.utils: labels as rows, progress, custom objects."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.datasets.tf_data import Dataset
from tensorlite.compat.shared.randoms.draws import set_seed
from tensorlite.compat.v2.keras import (
    bounding_boxes as bounding_boxes,
    defaults,
    legacy as legacy,
    seeding,
)
from tensorlite.compat.v2.keras.config import (
    disable_interactive_logging as disable_interactive_logging,
    enable_interactive_logging as enable_interactive_logging,
    is_interactive_logging_enabled as is_interactive_logging_enabled,
)
from tensorlite.compat.v2.keras.preprocessing import pad_sequences as pad_sequences
from tensorlite.compat.v2.keras.src.data.files_fetched import get_file as get_file
from tensorlite.compat.v2.keras.src.data.folders import (
    audio_dataset_from_directory as audio_dataset_from_directory,
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from tensorlite.compat.v2.keras.src.data.pictures import (
    array_to_img as array_to_img,
    img_to_array as img_to_array,
    load_img as load_img,
    save_img as save_img,
)
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.feature_spaces import (
    FeatureSpace as FeatureSpace,
)
from tensorlite.compat.v2.keras.src.models import histories, sketch
from tensorlite.compat.v2.keras.src.models.diagrams import (
    model_to_dot as model_to_dot,
    plot_model as plot_model,
)
from tensorlite.compat.v2.keras.src.saving import describing, lambdas, lookup
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.compat.v2.keras.src.trainers.feeding import Sequence as Sequence
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand


def to_categorical(
    x: Any = None,
    num_classes: int | None = None,
    dtype: str | None = None,
    *,
    y: Any = None,
) -> Any:
    """Return numbers of classes as rows with 1 at the class and 0 elsewhere.

    y is another name of x, Keras 2's; rows are float64 where no dtype is given, float32 in Keras 2.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.keras.utils.to_categorical([0, 2], 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    y = x if y is None else y
    dtype = dtype or ("float64" if naming.is_keras_3() else "float32")
    labels = np.asarray(
        y.__tensor__().numpy() if isinstance(y, Operand) else y, dtype="int64"
    )
    sizes = labels.shape
    if sizes and sizes[-1] == 1 and len(sizes) > 1:
        sizes = sizes[:-1]
    flat = labels.reshape(-1)
    count = int(flat.max()) + 1 if num_classes is None else int(num_classes)
    return np.eye(count, dtype=dtype)[flat].reshape((*sizes, count))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Return an array divided by its norm along an axis, as it is where that is 0."""
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)


def set_random_seed(seed: int) -> None:
    """Set the seeds of Python, NumPy, the library and its layers."""
    random.seed(seed)
    seeding.begin_anew()
    np.random.seed(seed)
    set_seed(seed)


PyDataset = Sequence


class Progbar:
    """Prints how far something has come."""

    def __init__(
        self,
        target: int | None,
        width: int = 20,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Any = None,
        stateless_metrics: Any = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose = target, width, verbose
        self.stateful = set(stateful_metrics or ())
        self.unit_name = unit_name
        self._sums: dict[str, list[float]] = {}
        self._seen = 0
        self._started = time.perf_counter()

    def update(
        self, current: int, values: Any = None, finalize: bool | None = None
    ) -> None:
        """Print how far it has come, with means of values by name."""
        steps = current - self._seen
        for name, value in values or ():
            held = self._sums.setdefault(name, [0.0, 0.0])
            if name in self.stateful:
                held[:] = [float(value), 1.0]
            else:
                held[:] = [held[0] + float(value) * steps, held[1] + steps]
        self._seen = current
        done = self.target is not None and current >= self.target
        if self.verbose == 1 or (self.verbose == 2 and (done or finalize)):
            end = "\n" if done or finalize or self.verbose == 2 else ""
            print(f"\r{self._text(current)}", end=end, flush=True)

    def _text(self, current: int) -> str:
        spent = time.perf_counter() - self._started
        bar = ""
        if self.target is not None and self.verbose == 1:
            full = int(self.width * current / self.target)
            bar = f" [{'=' * full}{'.' * (self.width - full)}]"
        texts = [
            f" - {name}: {total / max(count, 1):.4f}"
            for name, (total, count) in self._sums.items()
        ]
        return f"{current}/{self.target or 'Unknown'}{bar} - {spent:.0f}s{''.join(texts)}"

    def add(self, n: int, values: Any = None) -> None:
        """Print that it has come n further."""
        self.update(self._seen + n, values)


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Any:
    """Return a decorator that lets files name a class or function of a program."""

    def register(kind: Any) -> Any:
        title = name or kind.__name__
        lookup.custom_objects.update({title: kind, f"{package}>{title}": kind})
        return kind

    return register


def get_custom_objects() -> dict[str, Any]:
    """Return the dict of what is registered, by name."""
    return lookup.custom_objects


class CustomObjectScope:
    """A context in which dicts of objects are registered.

    >>> from tensorlite.compat import v2 as tf
    >>> with tf.keras.utils.CustomObjectScope({"twice": 2}):
    ...     tf.keras.utils.get_custom_objects()
    {'twice': 2}
    """

    def __init__(self, *objects: Any, custom_objects: Any = None) -> None:
        given = [*objects, custom_objects]
        self.custom_objects = {
            k: x for each in given for k, x in (each or {}).items()
        }
        self._open: list[Any] = []

    def __enter__(self) -> Any:
        context = lookup.adding(self.custom_objects)
        context.__enter__()
        self._open.append(context)
        return self

    def __exit__(self, *error: object) -> None:
        self._open.pop().__exit__(*error)


custom_object_scope = CustomObjectScope


def clear_session(free_memory: bool = True) -> None:
    """Let names of layers be counted from the beginning; free_memory has no effect."""
    naming.forget()


def is_keras_tensor(x: Any) -> bool:
    """Return whether something is a tensor of layers called without numbers."""
    return sketch.is_leaf(histories.recovered(x))


def get_registered_name(obj: Any) -> str:
    """Return the name under which a class or function is registered, or its own."""
    return lookup.registered_name(obj)


def get_registered_object(
    name: str, custom_objects: Any = None, module_objects: Any = None
) -> Any:
    """Return what is registered under a name, or None."""
    known = {
        **lookup.custom_objects,
        **(custom_objects or {}),
        **(module_objects or {}),
    }
    return known.get(name)


def serialize_keras_object(obj: Any) -> Any:
    """Return the configuration from which `deserialize_keras_object` makes an object."""
    made = describing.described(obj)
    return (
        describing.named_function(made)
        if isinstance(made, str) and callable(obj)
        else made
    )


def deserialize_keras_object(
    config: Any, custom_objects: Any = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """Return the object of a configuration; custom_objects are looked up too.

    safe_mode refuses Python functions that it brings. Further arguments have no effect.
    """
    with lookup.adding(custom_objects), lambdas.safe_mode(safe_mode):
        return describing.restored(config)


def split_dataset(
    dataset: Any,
    left_size: Any = None,
    right_size: Any = None,
    shuffle: bool = False,
    seed: int | None = None,
    preferred_backend: str | None = None,
) -> tuple[Any, Any]:
    """Return the first elements of a dataset and the last ones, as datasets.

    preferred_backend has no effect: there is one.
    """
    rows = list(dataset if isinstance(dataset, Dataset) else _rows(dataset))
    if shuffle:
        random.Random(seed).shuffle(rows)  # noqa: S311  nothing secret
    count = len(rows)
    left, right = (
        round(x * count) if isinstance(x, float) else x
        for x in (left_size, right_size)
    )
    if left is None and right is None:
        raise InvalidArgumentError(
            "split_dataset: give left_size, right_size or both"
        )
    left = count - right if left is None else left
    right = count - left if right is None else right
    return _of_rows(rows[:left]), _of_rows(rows[count - right :])


def _rows(data: Any) -> Any:
    return Dataset.from_tensor_slices(data)


def _of_rows(rows: list[Any]) -> Any:
    return Dataset.from_tensor_slices(
        nest.map_structure(
            lambda *parts: np.stack([np.asarray(x) for x in parts]), *rows
        )
    )


def get_source_inputs(tensor: Any) -> list[Any]:
    """Return the tensors that a symbolic tensor is computed from in the end."""
    found: list[Any] = sketch.sources(histories.recovered(tensor))
    return [histories.shown(x) for x in found]


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """Return x, (x, y) or (x, y, weights), as far as these are given."""
    return feeding.packed(x, y, sample_weight)


def unpack_x_y_sample_weight(data: Any) -> Any:
    """Return (x, y, weights) of a batch, None for what it has not."""
    return feeding.unpacked(data)


def standardize_dtype(dtype: Any) -> str:
    """Return the name of a dtype; `floatx` for None."""
    return str(defaults.kind_of(dtype).name)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
