"""tf.saved_model of TensorFlow 2."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.saved_names import FIXED
from tensorlite.compat.v2.framework import Variable
from tensorlite.compat.v2.functions import Concrete
from tensorlite.compat.v2.keras.models import Model
from tensorlite.compat.v2.keras.src.saving.files import save_model
from tensorlite.core.check import (
    a_path,
    one_of,
)
from tensorlite.distributed.strategies.copied import Copying, several
from tensorlite.function.function import Function
from tensorlite.interop.tensorflow.stored.models import Asset as Asset
from tensorlite.interop.tensorflow.stored.saved_models import load_saved_model
from tensorlite.interop.tensorflow.stored.saving import save_saved_model
from tensorlite.ops.state.variable import variety


@dataclass
class LoadOptions:
    """How a SavedModel is read: TensorFlow's options, of which none changes what is read here.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.saved_model.LoadOptions(experimental_skip_checkpoint=True).experimental_io_device is None
    True
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False


@dataclass
class SaveOptions:
    """How a SavedModel is written: with gradients of a program's own, or without them.

    The other options are TensorFlow's and change nothing of what is written here.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.saved_model.SaveOptions(save_debug_info=True).experimental_custom_gradients
    True
    """

    namespace_whitelist: list[str] = field(default_factory=list)
    save_debug_info: bool = False
    function_aliases: dict[str, Any] = field(default_factory=dict)
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Any = None


def save(
    obj: Any, export_dir: Any, signatures: Any = None, options: Any = None
) -> None:
    """Write a module, or a model of Keras, as a SavedModel, with functions as its signatures.

    options have no effect.
    """
    if isinstance(obj, Model) and signatures is None and _is_one_function(obj):
        save_model(obj, export_dir)
        return
    allowed = "a tf.saved_model.SaveOptions"
    one_of(options, (SaveOptions, type(None)), "options", allowed)
    own = options is None or options.experimental_custom_gradients
    path = a_path(export_dir, "export_dir")
    save_saved_model(obj, path, signatures, own_gradients=bool(own))


def _is_one_function(model: Model) -> bool:
    """Return whether a model is known by what it does when it is called."""
    if model.inputs_known():
        return True
    own = [x for kind in type(model).__mro__ for x in vars(kind).values()]
    return model.first_inputs is not None and not any(
        isinstance(x, Function) for x in own
    )


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Return the module that a SavedModel has, or its signatures, of some tags.

    options have no effect.
    """
    around = variety.get()
    kind = _uninitialised if around is None else around
    token = variety.set(_with_copies if isinstance(several.get(), Copying) else kind)
    try:
        chosen = "serve" if tags is None else tags
        return load_saved_model(a_path(export_dir, "export_dir"), chosen, Concrete)
    finally:
        variety.reset(token)


def _with_copies(
    initial: Any,
    trainable: bool = True,
    name: str = "Variable",
    dtype: Any = None,
    shape: Any = None,
    **_: Any,
) -> object:
    """Return one of TensorFlow 2's variables, with the copies that a strategy's scope asks for."""
    return Variable(initial, trainable, name=name, dtype=dtype, shape=shape)


def _uninitialised(*_: Any, **__: Any) -> object:
    """Return one of TensorFlow 2's variables for each that is made, which is yet to begin."""
    return object.__new__(Variable)


def contains_saved_model(export_dir: Any) -> bool:
    """Return whether a folder has a SavedModel."""
    folder = Path(a_path(export_dir, "export_dir"))
    return any(
        (folder / name).is_file() for name in ("saved_model.pb", "saved_model.pbtxt")
    )


__dir__ = listing(__name__, globals(), FIXED)


def __getattr__(name: str) -> object:
    """Return what is fixed by the format of files, or say what is near."""
    if name in FIXED:
        return FIXED[name]
    raise attribute_error(__name__, name, [*globals(), *FIXED])
