"""tf.keras.initializers, which are tf.initializers, too: what makes the first values of weights."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.functions import init_ops
from tensorlite.compat.v2.keras import defaults, seeding
from tensorlite.compat.v2.keras.src.saving import describing, lookup
from tensorlite.core.dispatch import constant as constant_of
from tensorlite.core.errors import ConversionError, InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import active_graph

Initializer = init_ops.Initializer


class Zeros(init_ops.Zeros):
    """Weights that are 0."""

    def __init__(self) -> None:
        super().__init__()


class Ones(init_ops.Ones):
    """Weights that are 1."""

    def __init__(self) -> None:
        super().__init__()


class Constant(init_ops.Constant):
    """Weights that are a value."""

    def __init__(self, value: Any = 0) -> None:
        is_tensor = isinstance(value, Operand)
        super().__init__(np.asarray(value) if is_tensor else value)

    def __call__(self, shape: Any = None, *args: Any, **kwargs: Any) -> Any:
        count, sizes = np.size(self.value), init_ops.sizes_of(shape)
        if sizes is not None and count not in {1, prod(sizes)}:
            raise ConversionError(
                f"Constant: the value has {count} elements, and the shape {sizes} has "
                f"{prod(sizes)}; give one element, or as many as the shape has"
            )
        return super().__call__(shape, *args, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Return the initializer of a configuration, in which an array may be described."""
        return cls(**{key: describing.restored(x) for key, x in config.items()})


class _Seeded(init_ops.Initializer):
    """Draws the same each time, by its seed alone; in graphs built by hand, as TensorFlow 1."""

    seed: Any

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.given_seed = self.seed
        if self.seed is None and active_graph() is None:
            self.seed = seeding.any_seed()

    @property
    def source(self) -> Any:
        return seeding if active_graph() is None else super().source


class RandomUniform(_Seeded, init_ops.RandomUniform):
    """Weights from minval to below maxval, equally likely."""

    def __init__(
        self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None
    ) -> None:
        super().__init__(minval, maxval, seed)


class RandomNormal(_Seeded, init_ops.RandomNormal):
    """Normally distributed weights."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        super().__init__(mean, stddev, seed)


class _Drawn(_Seeded):
    """Draws others each time where no seed is given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seed = self.given_seed

    @property
    def source(self) -> Any:
        return init_ops.Initializer.source if self.seed is None else super().source


class DrawnUniform(_Drawn, RandomUniform):
    """Weights from minval to below maxval, others each time where there is no seed."""


class DrawnNormal(_Drawn, RandomNormal):
    """Normally distributed weights, others each time where there is no seed."""


class TruncatedNormal(_Seeded, init_ops.TruncatedNormal):
    """Normally distributed weights, at most two deviations from the mean."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        super().__init__(mean, stddev, seed)


class _Fans(_Seeded, init_ops.VarianceScaling):
    """A scaling by the axes of a weight that are inputs and outputs, where these are told."""

    input_axes: Any = None
    output_axes: Any = None

    def fans(self, shape: Sequence[int]) -> tuple[float, float]:
        if self.input_axes is None or self.output_axes is None:
            return super().fans(shape)
        fan_in = prod(shape[axis] for axis in self.input_axes)
        return float(fan_in), float(prod(shape[axis] for axis in self.output_axes))


class VarianceScaling(_Fans):
    """Weights whose variance is scale divided by how many inputs or outputs there are.

    mode is "fan_in", "fan_out" or "fan_avg"; distribution "truncated_normal", "untruncated_normal"
    or "uniform".
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
        input_axes: Any = None,
        output_axes: Any = None,
    ) -> None:
        super().__init__(scale, mode, distribution, seed)
        self.input_axes, self.output_axes = input_axes, output_axes


class _Scaled(_Fans):
    """A scaling of which only the seed and the axes are chosen."""

    fields = ("seed",)
    rule: tuple[float, str, str]

    def __init__(
        self, seed: Any = None, input_axes: Any = None, output_axes: Any = None
    ) -> None:
        super().__init__(*self.rule, seed)
        self.input_axes, self.output_axes = input_axes, output_axes


def over_axes(initializer: Any, inputs: list[int], outputs: list[int]) -> Any:
    """Return an initializer that draws the same, for a weight of which the axes are told."""
    if not isinstance(initializer, _Fans) or initializer.input_axes is not None:
        return initializer
    axes = {"input_axes": inputs, "output_axes": outputs}
    config = {**_config(initializer), "seed": initializer.seed, **axes}
    return type(initializer)(**config)


class GlorotUniform(_Scaled):
    """Equally likely weights of the variance 2 / (inputs + outputs) (Glorot and Bengio, 2010)."""

    rule = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """Normal weights of the variance 2 / (inputs + outputs) (Glorot and Bengio, 2010)."""

    rule = (1.0, "fan_avg", "truncated_normal")


class LecunUniform(_Scaled):
    """Equally likely weights of the variance 1 / inputs."""

    rule = (1.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """Normal weights of the variance 1 / inputs."""

    rule = (1.0, "fan_in", "truncated_normal")


class HeUniform(_Scaled):
    """Equally likely weights of the variance 2 / inputs (He et al., 2015)."""

    rule = (2.0, "fan_in", "uniform")


class HeNormal(_Scaled):
    """Normal weights of the variance 2 / inputs (He et al., 2015)."""

    rule = (2.0, "fan_in", "truncated_normal")


class Orthogonal(_Seeded, init_ops.Orthogonal):
    """Matrices with perpendicular rows or columns of length gain (Saxe et al., 2013)."""

    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        super().__init__(gain, seed)


class Identity(init_ops.Identity):
    """Square matrices with gain on the diagonal."""

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain)


def _named_window(name: str, length: int, periodic: bool) -> Any:
    """Return a window that SciPy knows by a name."""
    try:
        windows = importlib.import_module("scipy.signal")
    except ImportError as error:
        raise InvalidArgumentError(
            f"windows by names as {name!r} are SciPy's: pip install scipy, or give an array"
        ) from error
    try:
        return windows.get_window(name, length, periodic)
    except ValueError as error:
        raise InvalidArgumentError(f"Unknown window: {name!r}: {error}") from error


class STFT(Initializer):
    """Kernels, of shape (samples, 1, bins), that make spectra of frames by convolution."""

    def __init__(
        self,
        side: str = "real",
        window: Any = "hann",
        scaling: str | None = "density",
        periodic: bool = False,
    ) -> None:
        if side not in {"real", "imag"}:
            raise InvalidArgumentError(
                f"Invalid `side`: {side!r}; it is 'real' or 'imag'"
            )
        if scaling not in {None, "density", "spectrum"}:
            raise InvalidArgumentError(
                "Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received "
                f"scaling={scaling}"
            )
        self.side, self.window = side, window
        self.scaling, self.periodic = scaling, periodic

    def window_of(self, length: int) -> Any:
        """Return the window for frames of a length, scaled; None if there is none."""
        if self.window is None:
            return None
        if isinstance(self.window, str):
            made = _named_window(self.window, length, self.periodic)
        else:
            made = np.asarray(self.window, np.float64)
        if made.shape != (length,):
            raise InvalidArgumentError(
                "The shape of `window` must be equal to [frame_length]. Received: window "
                f"shape={made.shape}, {length=}"
            )
        scales = {
            "density": np.sqrt((made**2).sum()),
            "spectrum": np.abs(made).sum(),
        }
        return made / scales.get(self.scaling or "", 1.0)

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        length, _, bins = (int(x) for x in shape)
        turns = np.arange(length)[:, None] * np.arange(bins) / ((bins - 1) * 2)
        kernel = (np.cos if self.side == "real" else np.sin)(-2 * np.pi * turns)
        window = self.window_of(length)
        made = kernel if window is None else kernel * window[:, None]
        return constant_of(made[:, None, :], dtype=defaults.kind_of(dtype))


zeros, ones, constant = Zeros, Ones, Constant
STFTInitializer = stft = STFT
random_uniform, random_normal = RandomUniform, RandomNormal
truncated_normal, variance_scaling = TruncatedNormal, VarianceScaling
glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
lecun_uniform, lecun_normal = LecunUniform, LecunNormal
he_uniform, he_normal = HeUniform, HeNormal
orthogonal, identity = Orthogonal, Identity
OrthogonalInitializer, IdentityInitializer = Orthogonal, Identity


def _config(initializer: Any) -> dict[str, Any]:
    """Return what an initializer was made with."""
    kind = type(initializer)
    listed = [x for x in inspect.signature(kind.__init__).parameters if x != "self"]
    known = {**vars(initializer), "seed": getattr(initializer, "given_seed", None)}
    return {name: known.get(name) for name in listed}


KNOWN = {
    kind.__name__: kind
    for kind in (
        *(Zeros, Ones, Constant, RandomUniform, RandomNormal, TruncatedNormal),
        *(VarianceScaling, GlorotUniform, GlorotNormal, LecunUniform, LecunNormal),
        *(HeUniform, HeNormal, Orthogonal, Identity, STFT),
    )
} | {
    "uniform": RandomUniform,
    "normal": RandomNormal,
    "one": Ones,
    "zero": Zeros,
    "OrthogonalInitializer": Orthogonal,
    "IdentityInitializer": Identity,
}

for _kind in set(KNOWN.values()):
    setattr(_kind, "get_config", _config)  # noqa: B010


def get(identifier: Any) -> Any:
    """Return the initializer of a name, configuration or class, a function itself, or None.

    InvalidArgumentError is raised for names that are not known and for what cannot be called.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (np.ndarray, np.generic, Tensor)):
        return Constant(identifier)
    found = lookup.found("initializer", identifier, KNOWN)
    if not callable(found):
        raise InvalidArgumentError(f"{identifier!r} is no initializer")
    return found


def serialize(initializer: Any, use_legacy_format: bool = False) -> Any:
    """Return the configuration from which `deserialize` makes the initializer.

    use_legacy_format has no effect.
    """
    return lookup.serialized(initializer)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the initializer of a configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return get(config)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
