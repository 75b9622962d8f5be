"""tf.keras.export: ExportArchive, a SavedModel whose functions a program names one by one."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.functions import PolymorphicFunction, function
from tensorlite.compat.v2.keras import defaults
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.input_spec import InputSpec
from tensorlite.compat.v2.keras.src.models import sketch
from tensorlite.core import nest
from tensorlite.core.check import a_path
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.spec import TensorSpec
from tensorlite.interop.tensorflow.stored.saving import save_saved_model
from tensorlite.ops.state.variable import Variable
from tensorlite.train.module import Module

__all__ = ["ExportArchive"]

_KINDS = ("variables", "trainable_variables", "non_trainable_variables")


class ExportArchive:
    """A SavedModel that is put together: what it holds, and the functions that it serves.

    >>> import tempfile
    >>> from tensorlite.compat import v2 as tf
    >>> archive = tf.keras.export.ExportArchive()
    >>> signature = [tf.TensorSpec([None], tf.float32)]
    >>> _ = archive.add_endpoint("twice", lambda x: x * 2.0, signature)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     archive.write_out(folder, verbose=False)
    ...     tf.saved_model.load(folder).twice(tf.constant([1.5])).numpy().tolist()
    [3.0]
    """

    def __init__(self, format: str = "saved_model") -> None:
        if format != "saved_model":
            raise InvalidArgumentError(
                f"Unsupported format: {format}; it is 'saved_model'"
            )
        self._whole = Module()
        self._endpoints: dict[str, Any] = {}
        self._tracked: list[Any] = []
        # Keras' names, which modules have for something else.
        vars(self._whole).update({kind: [] for kind in _KINDS})

    @property
    def variables(self) -> list[Any]:
        """The variables of what is tracked."""
        return list(vars(self._whole)["variables"])

    @property
    def trainable_variables(self) -> list[Any]:
        """Those of them that are trained."""
        return list(vars(self._whole)["trainable_variables"])

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those of them that are not."""
        return list(vars(self._whole)["non_trainable_variables"])

    def track(self, resource: Any) -> None:
        """Let the archive hold a layer, a model, or another object with variables.

        InvalidArgumentError is raised for other things, and for a layer that is not built.
        """
        if isinstance(resource, Layer) and not resource.built:
            raise InvalidArgumentError(
                "The layer provided has not yet been built. It must be built before export."
            )
        if not isinstance(resource, (Module, Variable)):
            raise InvalidArgumentError(
                "Invalid resource type. Expected a Keras `Layer` or `Model` or a TensorFlow "
                f"`Trackable` object. Received object {resource} of type '{type(resource)}'. "
            )
        self._tracked.append(resource)
        if isinstance(resource, Layer):
            for kind in _KINDS:
                vars(self._whole)[kind] += getattr(resource, kind)

    def add_endpoint(
        self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any
    ) -> Any:
        """Let the SavedModel have a function under a name; return it, as it is traced.

        The specs of its arguments are not needed where a traced function was called already.
        InvalidArgumentError is raised where they are, and for a name that is taken.
        """
        if name in self._endpoints:
            raise InvalidArgumentError(f"Endpoint name '{name}' is already taken.")
        unknown = sorted(set(kwargs) & {"jax2tf_kwargs", "is_static"})
        if unknown:
            raise InvalidArgumentError(
                f"{unknown[0]} is for JAX: 'jax2tf_kwargs' and 'is_static' are only supported "
                "with the jax backend. Current backend: tensorflow"
            )
        if input_signature is None:
            made = _traced_already(fn)
        else:
            specs = nest.map_structure(_as_spec, input_signature)
            made = function(fn, input_signature=specs, autograph=False)
        self._endpoints[name] = made
        setattr(self._whole, name, made)
        return made

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Any, **kwargs: Any
    ) -> Any:
        """Let the archive hold a layer or model, and serve its call under a name."""
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Let the SavedModel have variables as a list under a name.

        InvalidArgumentError is raised for what is no list, tuple or set of variables.
        """
        if not isinstance(variables, (list, tuple, set)):
            raise InvalidArgumentError(
                "Expected `variables` to be a list/tuple/set. "
                f"Received instead object of type '{type(variables)}'."
            )
        if not all(isinstance(x, Variable) for x in variables):
            raise InvalidArgumentError(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found "
                f"instead the following types: {list({type(x) for x in variables})}"
            )
        setattr(self._whole, name, list(variables))

    def write_out(
        self, filepath: Any, options: Any = None, verbose: bool = True
    ) -> None:
        """Write the SavedModel into a folder; verbose says which functions it has.

        The first of them is its `serving_default` unless one is called so. options have no effect.
        """
        if not self._endpoints:
            raise InvalidArgumentError(
                "No endpoints have been set yet. Call add_endpoint()."
            )
        path = a_path(filepath, "filepath")
        concrete = {name: _concrete(fn) for name, fn in self._endpoints.items()}
        used = [x for each in concrete.values() for x in each.variables]
        vars(self._whole).update(
            _all_variables=list({id(x): x for x in used}.values()),
            _misc_assets=self._tracked,
        )
        signatures = {"serving_default": next(iter(self._endpoints.values()))}
        save_saved_model(self._whole, path, {**signatures, **self._endpoints})
        if verbose:
            told = [_told(name, x) for name, x in concrete.items()]
            print(
                f"Saved artifact at '{path}'. The following endpoints are available:\n\n"
                + "\n\n".join(told)
            )


def _as_spec(given: Any) -> TensorSpec:
    """Return a tensor, a spec of layers' inputs, or a spec, as a spec."""
    if isinstance(given, TensorSpec):
        return given
    if (
        isinstance(given, InputSpec)
        or sketch.is_leaf(given)
        or hasattr(given, "shape")
    ):
        if given.shape is None:
            raise InvalidArgumentError(
                f"The shape of a spec that a function is written for is known, but {given} has none"
            )
        return TensorSpec(
            tuple(given.shape),
            defaults.kind_of(given.dtype),
            getattr(given, "name", None),
        )
    raise InvalidArgumentError(
        f"input_signature: {given!r} is no spec; give tf.TensorSpec or keras.InputSpec"
    )


def _traced_already(fn: Any) -> Any:
    if not isinstance(fn, PolymorphicFunction):
        raise InvalidArgumentError(
            "If the `fn` argument provided is not a `tf.function`, you must provide an "
            "`input_signature` argument to specify the shape and dtype of the function arguments."
        )
    if not fn.all_concrete_functions():
        raise InvalidArgumentError(
            f"The provided tf.function '{fn}' has never been called. To specify the expected "
            "shape and dtype of the function's arguments, you must either provide a function "
            "that has been called at least once, or alternatively pass an `input_signature` "
            "argument in `add_endpoint()`."
        )
    return fn


def _concrete(fn: Any) -> Any:
    """Return the trace of a function for its signature, or the first of its traces."""
    if fn.input_signature is not None:
        return fn.get_concrete_function()
    return fn.all_concrete_functions()[0]


def _told(name: str, concrete: Any) -> str:
    lines = concrete.pretty_printed_signature().split("\n")[1:]
    return "\n".join([f"* Endpoint '{name}'", *lines])


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
