"""The estimators whose models are there: networks, linear models, both at once, baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorlite.compat.shared import nn
from tensorlite.compat.v1.estimators import canned
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.compat.v1.estimators.class_heads import class_head
from tensorlite.compat.v1.estimators.heads import Head, RegressionHead
from tensorlite.compat.v1.losses import Reduction


class DNNEstimator(Estimator):
    """A network with a head that is given."""

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        model = canned.dnn_model(
            head,
            hidden_units,
            feature_columns,
            optimizer=optimizer,
            activation=activation_fn,
            dropout=dropout,
            batch_norm=batch_norm,
        )
        super().__init__(model, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifier(DNNEstimator):
    """A network of dense layers over columns that says one of n_classes classes."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            head,
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            batch_norm,
        )


class DNNRegressor(DNNEstimator):
    """A network of dense layers over columns that says label_dimension numbers."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            batch_norm,
        )


class LinearEstimator(Estimator):
    """A linear model with a head that is given."""

    def __init__(
        self,
        head: Head,
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        model = canned.linear_model(head, feature_columns, optimizer, sparse_combiner)
        super().__init__(model, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(LinearEstimator):
    """A linear model over columns that says one of n_classes classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = None,
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )


class LinearRegressor(LinearEstimator):
    """A linear model over columns that says label_dimension numbers."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = None,
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )


class DNNLinearCombinedEstimator(Estimator):
    """A network and a linear model, with a head that is given."""

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = nn.relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        model = canned.combined_model(
            head,
            (linear_feature_columns, linear_optimizer, linear_sparse_combiner),
            (dnn_feature_columns, dnn_optimizer, dnn_hidden_units),
            activation=dnn_activation_fn,
            dropout=dnn_dropout,
            batch_norm=batch_norm,
        )
        super().__init__(model, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A linear model and a network together that say one of n_classes classes (Cheng 2016)."""

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = nn.relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            batch_norm,
            linear_sparse_combiner,
            warm_start_from,
        )


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A linear model and a network together that say label_dimension numbers."""

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = nn.relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            batch_norm,
            linear_sparse_combiner,
            warm_start_from,
        )


class BaselineEstimator(Estimator):
    """The same for every row, with a head that is given."""

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
    ) -> None:
        super().__init__(canned.baseline_model(head, optimizer), model_dir, config)


class BaselineClassifier(BaselineEstimator):
    """A model that passes over features, and says how frequent each class is."""

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """A model that passes over features, and says the mean of the labels."""

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)
