"""Names of TensorFlow's own modules of feature columns, some of which begin with an underscore."""

from __future__ import annotations

from tensorlite.compat.v1.contrib.columns.base import (
    FeatureColumn as _FeatureColumn,
    Transformer as _Transformer,
)
from tensorlite.compat.v1.contrib.columns.classes import (
    CrossedColumn as _CrossedColumn,
    LookupConfig as _SparseIdLookupConfig,
    SparseColumn as _SparseColumn,
    SparseColumnHashed as _SparseColumnHashed,
    SparseColumnIntegerized as _SparseColumnIntegerized,
    SparseColumnKeys as _SparseColumnKeys,
    SparseColumnVocabulary as _SparseColumnVocabulary,
    WeightedSparseColumn as _WeightedSparseColumn,
    sparse_feature_cross,
)
from tensorlite.compat.v1.contrib.columns.numbers import (
    BucketizedColumn as _BucketizedColumn,
    RealValuedColumn as _RealValuedColumn,
    RealValuedVarLenColumn as _RealValuedVarLenColumn,
    real_valued_var_len_column as _real_valued_var_len_column,
)
from tensorlite.compat.v1.contrib.columns.vectors import (
    EmbeddingColumn as _EmbeddingColumn,
    OneHotColumn as _OneHotColumn,
)

__all__ = [
    "_BucketizedColumn",
    "_CrossedColumn",
    "_EmbeddingColumn",
    "_FeatureColumn",
    "_OneHotColumn",
    "_RealValuedColumn",
    "_RealValuedVarLenColumn",
    "_SparseColumn",
    "_SparseColumnHashed",
    "_SparseColumnIntegerized",
    "_SparseColumnKeys",
    "_SparseColumnVocabulary",
    "_SparseIdLookupConfig",
    "_Transformer",
    "_WeightedSparseColumn",
    "_real_valued_var_len_column",
    "sparse_feature_cross",
]
