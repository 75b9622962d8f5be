"""FeatureSpace: rows of named features as numbers that a model may be given, and their crosses.

The layers that number, hash and scale each feature stand in lookups.py, categories.py, bins.py and
adapting.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensorlite.compat.shared.datasets.tf_data import Dataset
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.adapting import Normalization
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.compat.v2.keras.src.layers.bins import Discretization
from tensorlite.compat.v2.keras.src.layers.categories import (
    CategoryEncoding,
    HashedCrossing,
    Hashing,
    as_terms,
)
from tensorlite.compat.v2.keras.src.layers.core import Rescaling
from tensorlite.compat.v2.keras.src.layers.input import Input
from tensorlite.compat.v2.keras.src.layers.lookups import IntegerLookup, StringLookup
from tensorlite.compat.v2.keras.src.layers.merging import Concatenate
from tensorlite.compat.v2.keras.src.layers.texts import TextVectorization
from tensorlite.compat.v2.keras.src.layers.vocabularies import IndexLookup
from tensorlite.compat.v2.keras.src.saving import archives, describing
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.arrange import expand_dims, squeeze
from tensorlite.ops.arrays.shape import reshape

_KERAS = "keras.src.layers.preprocessing.feature_space"


class TFDIdentity(Layer):
    """Returns what it is given: features that are numbers already."""

    described_as = (_KERAS, "TFDIdentity")


class Feature:
    """How one feature is read: its dtype, the layer that makes numbers of it, and their form."""

    described_as = (_KERAS, "Feature")

    def __init__(self, dtype: str, preprocessor: Any, output_mode: str) -> None:
        _check_mode(output_mode, ("int", "one_hot", "float"))
        self.dtype, self.output_mode = dtype, output_mode
        is_told = isinstance(preprocessor, Mapping)
        self.preprocessor = (
            describing.restored(preprocessor) if is_told else preprocessor
        )

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a feature."""
        held = (self.dtype, self.preprocessor, self.output_mode)
        return dict(zip(("dtype", "preprocessor", "output_mode"), held, strict=True))

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Feature:
        """Return a feature of its arguments."""
        return cls(**config)


class Cross:
    """Features that are taken together: a number of a bin for each combination of theirs."""

    described_as = (_KERAS, "Cross")

    def __init__(
        self,
        feature_names: Iterable[str],
        crossing_dim: int,
        output_mode: str = "one_hot",
    ) -> None:
        _check_mode(output_mode, ("int", "one_hot"))
        self.feature_names = tuple(feature_names)
        self.crossing_dim, self.output_mode = crossing_dim, output_mode

    @property
    def name(self) -> str:
        """The name of the cross, of the features' names."""
        return "_X_".join(self.feature_names)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a cross."""
        return dict(vars(self))

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Cross:
        """Return a cross of its arguments."""
        return cls(**config)


def _check_mode(mode: str, allowed: tuple[str, ...]) -> None:
    if mode not in allowed:
        raise InvalidArgumentError(
            f"Invalid value for argument `output_mode`. Expected one of {allowed}. Received: "
            f"output_mode={mode}"
        )


class FeatureKinds:
    """The kinds of features that there are, each with the layer that makes numbers of it."""

    @staticmethod
    def cross(
        feature_names: Iterable[str], crossing_dim: int, output_mode: str = "one_hot"
    ) -> Cross:
        """Return features taken together."""
        return Cross(feature_names, crossing_dim, output_mode)

    @staticmethod
    def feature(dtype: str, preprocessor: Any, output_mode: str) -> Feature:
        """Return a feature of which a layer of the program makes numbers."""
        return Feature(dtype, preprocessor, output_mode)

    @staticmethod
    def float(name: str | None = None) -> Feature:
        """Return a feature that is a number."""
        return Feature("float32", TFDIdentity(name=_titled(name, "float")), "float")

    @staticmethod
    def float_rescaled(
        scale: Any = 1.0, offset: Any = 0.0, name: str | None = None
    ) -> Feature:
        """Return a number that is multiplied, and to which something is added."""
        made = Rescaling(scale, offset, name=_titled(name, "float_rescaled"))
        return Feature("float32", made, "float")

    @staticmethod
    def float_normalized(name: str | None = None) -> Feature:
        """Return a number of which the mean is 0 and the variance 1, which adapt learns."""
        made = Normalization(axis=-1, name=_titled(name, "float_normalized"))
        return Feature("float32", made, "float")

    @staticmethod
    def float_discretized(
        num_bins: int,
        bin_boundaries: Any = None,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Return a number as the bin in which it is."""
        title = _titled(name, "float_discretized")
        made = Discretization(bin_boundaries, num_bins, name=title)
        return Feature("float32", made, output_mode)

    @staticmethod
    def integer_categorical(
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Return a whole number as its place in a vocabulary, which adapt learns."""
        title = _titled(name, "integer_categorical")
        made = IntegerLookup(max_tokens, num_oov_indices, name=title)
        return Feature("int32", made, output_mode)

    @staticmethod
    def string_categorical(
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Return a word as its place in a vocabulary, which adapt learns."""
        title = _titled(name, "string_categorical")
        made = StringLookup(max_tokens, num_oov_indices, name=title)
        return Feature("string", made, output_mode)

    @staticmethod
    def string_hashed(
        num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Return a word as a bin, by a hash of it."""
        made = Hashing(num_bins, name=_titled(name, "string_hashed"))
        return Feature("string", made, output_mode)

    @staticmethod
    def integer_hashed(
        num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Return a whole number as a bin, by a hash of it."""
        made = Hashing(num_bins, name=_titled(name, "integer_hashed"))
        return Feature("int32", made, output_mode)


def _titled(name: str | None, kind: str) -> str:
    return f"{name or naming.unique(kind)}_preprocessor"


_SIMPLE = (
    *("float", "float_rescaled", "float_normalized"),
    *("integer_categorical", "string_categorical"),
)
_HASHED = ("integer_hashed", "string_hashed")


class FeatureSpace(FeatureKinds, Layer):
    """Dicts of features as one row of numbers, or as a dict of rows.

    Features are words that name their kind, or what FeatureSpace.float() and its like return.
    `adapt` learns from a dataset of dicts what their layers have to learn.
    """

    described_as = ("keras.utils", "FeatureSpace")

    def __init__(
        self,
        features: Mapping[str, Any],
        output_mode: str = "concat",
        crosses: Any = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        if not features:
            raise InvalidArgumentError(
                "The `features` argument cannot be None or empty."
            )
        _check_mode(output_mode, ("dict", "concat"))
        self.output_mode, self.hashing_dim = output_mode, hashing_dim
        self.crossing_dim = crossing_dim
        self.num_discretization_bins = num_discretization_bins
        self.features = {key: self._feature(key, x) for key, x in features.items()}
        self.crosses = [self._cross(x) for x in crosses or ()]
        self.inputs = {
            key: Input(shape=(1,), dtype=x.dtype, name=key)
            for key, x in self.features.items()
        }
        self.preprocessors = {k: x.preprocessor for k, x in self.features.items()}
        self.crossers = {
            x.name: HashedCrossing(x.crossing_dim, name=x.name) for x in self.crosses
        }
        self.one_hot_encoders: dict[str, CategoryEncoding] = {}
        self.concat = Concatenate(axis=-1)
        self.encoded_features: Any = None
        self._is_adapted = False

    def _feature(self, name: str, given: Any) -> Feature:
        if isinstance(given, Mapping):
            given = describing.restored(given)
        if isinstance(given, Feature):
            return given
        if given in _SIMPLE:
            made: Feature = getattr(self, given)(name=name)
        elif given in _HASHED:
            made = getattr(self, given)(self.hashing_dim, name=name)
        elif given == "float_discretized":
            made = self.float_discretized(self.num_discretization_bins, name=name)
        else:
            kinds = (*_SIMPLE, *_HASHED, "float_discretized")
            raise InvalidArgumentError(
                f"Invalid feature type: {given}; {name!r} is one of {kinds}, or what "
                "FeatureSpace.float() and its like return"
            )
        return made

    def _cross(self, given: Any) -> Cross:
        if isinstance(given, Mapping):
            given = describing.restored(given)
        if isinstance(given, Cross):
            return given
        if not self.crossing_dim:
            raise InvalidArgumentError(
                "When specifying `crosses`, the argument `crossing_dim` (dimensionality of the "
                "crossing space) should be specified as well."
            )
        if not set(given) <= set(self.features):
            raise InvalidArgumentError(
                "All features referenced in the `crosses` argument should be present in the "
                f"`features` dict. Received unknown features: {given}"
            )
        return Cross(given, self.crossing_dim)

    def adapt(self, dataset: Any) -> None:
        """Learn from a dataset of dicts, or a dict of columns, what the features' layers learn."""
        if isinstance(dataset, dict):
            dataset = Dataset.from_tensor_slices(dataset)
        if not isinstance(dataset, Dataset):
            raise InvalidArgumentError(
                "`adapt()` can only be called on a tf.data.Dataset or a dict of arrays/lists. "
                f"Received instead: {dataset} (of type {type(dataset)})"
            )
        for name in self._learning():
            column = dataset.map(lambda row, key=name: row[key])
            rank = len(next(iter(column)).shape)
            column = column.batch(32) if rank == 0 else column
            wide = column.map(lambda x: expand_dims(x, -1)) if rank < 2 else column
            self.preprocessors[name].adapt(wide)
        self._is_adapted = True
        self.get_encoded_features()

    def _learning(self) -> list[str]:
        return [key for key, x in self.preprocessors.items() if _learns(x)]

    def _check_adapted(self) -> None:
        if not self._is_adapted and self._learning():
            raise InvalidArgumentError(
                "You need to call `.adapt(dataset)` on the FeatureSpace before you can start "
                "using it."
            )

    def get_inputs(self) -> dict[str, Any]:
        """Return the symbolic tensors that a model of the features begins with."""
        self.get_encoded_features()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """Return what the features become, as symbolic tensors."""
        self._check_adapted()
        if self.encoded_features is None:
            self.encoded_features = self._merged(self.inputs)
            self.built = True
        return self.encoded_features

    def _merged(self, features: Mapping[str, Any]) -> Any:
        """Return features as numbers in the space's form: by their names, then the crosses'."""
        numbers = {key: self.preprocessors[key](x) for key, x in features.items()}
        made = {
            key: self._formed(key, numbers[key], self.features[key].output_mode)
            for key in sorted(numbers)
        }
        for cross in sorted(self.crosses, key=lambda x: x.name):
            crossed = self.crossers[cross.name](
                [numbers[x] for x in cross.feature_names]
            )
            made[cross.name] = self._formed(cross.name, crossed, cross.output_mode)
        if self.output_mode == "dict":
            return made
        for name, value in made.items():
            if not value.dtype.is_floating:
                raise InvalidArgumentError(
                    f"Cannot concatenate features because feature '{name}' has not been encoded "
                    f"(it has dtype {value.dtype}). Consider using `output_mode='dict'`."
                )
        rows = list(made.values())
        return self.concat(rows) if len(rows) > 1 else rows[0]

    def _formed(self, name: str, numbers: Any, mode: str) -> Any:
        if mode != "one_hot":
            return numbers
        if name not in self.one_hot_encoders:
            if not numbers.dtype.is_integer:
                raise InvalidArgumentError(
                    f"Feature '{name}' has `output_mode='one_hot'`. Thus its preprocessor should "
                    f"return an integer dtype. Instead it returns a {numbers.dtype} dtype."
                )
            depth = self._depth_of(name)
            self.one_hot_encoders[name] = CategoryEncoding(depth, "multi_hot")
        return self.one_hot_encoders[name](numbers)

    def _depth_of(self, name: str) -> int:
        layer = self.crossers.get(name) or self.preprocessors[name]
        if isinstance(layer, IndexLookup):
            return layer.vocabulary_size()
        if isinstance(layer, CategoryEncoding):
            return int(layer.num_tokens or 0)
        if isinstance(layer, Discretization):
            return int(layer.num_bins or len(layer.bin_boundaries) + 1)
        if isinstance(layer, (HashedCrossing, Hashing)):
            return layer.num_bins
        raise InvalidArgumentError(
            f"Feature '{name}' has `output_mode='one_hot'`. However it isn't a standard feature "
            "and the dimensionality of its output space is not known, thus it cannot be one-hot "
            "encoded. Try using `output_mode='int'`."
        )

    def __call__(self, data: Any) -> Any:
        self.get_encoded_features()
        if not isinstance(data, Mapping):
            raise InvalidArgumentError(
                f"A FeatureSpace can only be called with a dict. Received: data={data} (of type "
                f"{type(data)})"
            )
        given = {key: as_terms(x) for key, x in data.items()}
        is_one = any(len(x.shape) == 0 for x in given.values())
        made = self._merged({key: _in_rows(x) for key, x in given.items()})
        if not is_one:
            return made
        if self.output_mode == "concat":
            return squeeze(made, axis=0)
        return {
            key: squeeze(x, axis=0) if len(x.shape) == 2 and x.shape[0] == 1 else x
            for key, x in made.items()
        }

    def save(self, filepath: Any) -> None:
        """Write the space to a `.keras` file, which keras.models.load_model reads."""
        archives.write_model(self, str(filepath))

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make such a space."""
        return {
            "features": describing.described(self.features),
            "output_mode": self.output_mode,
            "crosses": describing.described(self.crosses),
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> FeatureSpace:
        """Return a space of its arguments."""
        return cls(**config)

    def get_build_config(self) -> dict[str, Any]:
        """Return what the features' layers were built for, by the features' names."""
        return {k: x.get_build_config() or {} for k, x in self.preprocessors.items()}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the features' layers, which have learnt what is stored of them."""
        for name, built in config.items():
            if not self.preprocessors[name].built:
                self.preprocessors[name].build_from_config(built)
        self._is_adapted = True


def _learns(layer: Any) -> bool:
    """Whether a layer is to learn from data, rather than being told what it needs."""
    if isinstance(layer, Normalization):
        return layer.input_mean is None
    if isinstance(layer, TextVectorization):
        return layer.get_config()["vocabulary"] is None
    return hasattr(layer, "adapt")


def _in_rows(x: Any) -> Any:
    rank = len(x.shape)
    if rank == 0:
        return reshape(x, (1, 1))
    return expand_dims(x, -1) if rank == 1 else x


KNOWN = {x.__name__: x for x in (FeatureSpace, Feature, Cross, TFDIdentity)}
"""The classes that descriptions of spaces name."""
