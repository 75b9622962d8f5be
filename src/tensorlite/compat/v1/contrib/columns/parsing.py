"""Features for columns: read from examples, by placeholders, and what was transformed."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from tensorlite.compat.shared import arrays, parsing as shared_parsing
from tensorlite.compat.v1.contrib.columns.base import (
    FeatureColumn,
    Transformer,
    checked,
    is_sparse,
)
from tensorlite.compat.v1.contrib.columns.numbers import (
    RealValuedColumn,
    real_valued_column,
)
from tensorlite.compat.v1.functions import sparse_older
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.pipelines.parsing import parse_example
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.ops.records.examples import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)


def check_feature_columns(feature_columns: Iterable[Any]) -> None:
    """Raise InvalidArgumentError if two columns are alike, or for a dict."""
    checked(feature_columns)


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """Return how the features of columns are read from examples: for tf.io.parse_example."""
    given = feature_columns
    found: dict[str, Any] = {}
    for column in given.values() if isinstance(given, dict) else given:
        if not isinstance(column, FeatureColumn):
            raise DTypeError(
                "feature_columns should only contain instances of _FeatureColumn. Given column is "
                f"{column}"
            )
        found.update(column.config)
    return found


def parse_feature_columns_from_examples(
    serialized: Any,
    feature_columns: Iterable[Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[Any, Any]:
    """Return the features of examples, and what columns make of them, in one dict."""
    columns = checked(feature_columns)
    spec = create_feature_spec_for_parsing(columns)
    given = Transformer(
        parse_example(serialized, spec, name=name, example_names=example_names)
    )
    for column in columns:
        given.get(column)
    return given.kept


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> Any:
    """Return the features of one example of steps: those of the whole, and those of the steps."""
    whole = checked(context_feature_columns or [])
    steps = checked(sequence_feature_columns or [])
    return shared_parsing.parse_single_sequence_example(
        arrays.reshape(serialized, []),
        create_feature_spec_for_parsing(whole),
        _of_steps(create_feature_spec_for_parsing(steps)),
        example_name,
        name,
    )


def _of_steps(spec: dict[str, Any]) -> dict[str, Any]:
    return {
        key: feature
        if isinstance(feature, VarLenFeature)
        else FixedLenSequenceFeature(
            feature.shape, feature.dtype, feature.default_value is not None
        )
        for key, feature in spec.items()
    }


def transform_features(
    features: Any, feature_columns: Iterable[Any]
) -> dict[Any, Any]:
    """Return what columns make of features, by column."""
    given = Transformer(dict(features))
    return {column: given.get(column) for column in checked(feature_columns)}


def make_place_holder_tensors_for_base_features(
    feature_columns: Any,
) -> dict[str, Any]:
    """Return placeholders for the features of columns."""
    found = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        title = f"Placeholder_{key}"
        if isinstance(feature, FixedLenFeature):
            sizes = (None, feature.shape[0])
            found[key] = framework.placeholder(feature.dtype, sizes, title)
        else:
            found[key] = sparse_older.sparse_placeholder(feature.dtype, name=title)
    return found


def infer_real_valued_columns(features: Any) -> list[RealValuedColumn]:
    """Return columns of numbers for dense features, a dict or one tensor."""
    if not isinstance(features, dict):
        return [_inferred("", features)]
    return [_inferred(key, x) for key, x in features.items()]


def _inferred(name: str, x: Any) -> RealValuedColumn:
    if is_sparse(x):
        raise InvalidArgumentError(
            "SparseTensor is not supported for auto detection. Please define corresponding "
            f"FeatureColumn for tensor {name} {x}."
        )
    if not (x.dtype.is_integer or x.dtype.is_floating):
        raise InvalidArgumentError(
            "Non integer or non floating types are not supported for auto detection. Please define "
            f"corresponding FeatureColumn for tensor {name} {x}."
        )
    width = prod(x.get_shape().as_list()[1:])
    return real_valued_column(name, width, dtype=x.dtype)
