"""Keys of tf.contrib.learn: of modes, predictions, metrics, kinds of problems and of tasks."""

from __future__ import annotations

from tensorlite.core.errors import InvalidArgumentError

COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS = "input_feature_keys"


class ModeKeys:
    """What a model is built for; tf.estimator.ModeKeys calls INFER PREDICT."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise InvalidArgumentError for anything that is no mode."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise InvalidArgumentError(f"Invalid mode {key}.")


class PredictionKey:
    """What models answer with."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


class MetricKey:
    """What evaluations find."""

    LOSS = "loss"
    AUC = "auc"
    AUC_PR = "auc_precision_recall"
    CLASS_AUC = "auc/class%d"
    CLASS_AUC_PR = "auc_precision_recall/class%d"
    PREDICTION_MEAN = "labels/prediction_mean"
    CLASS_PREDICTION_MEAN = "labels/prediction_mean/class%d"
    CLASS_LOGITS_MEAN = "labels/logits_mean/class%d"
    CLASS_PROBABILITY_MEAN = "labels/probability_mean/class%d"
    LABEL_MEAN = "labels/actual_label_mean"
    CLASS_LABEL_MEAN = "labels/actual_label_mean/class%d"
    ACCURACY = "accuracy"
    ACCURACY_BASELINE = "accuracy/baseline_label_mean"
    ACCURACY_MEAN = "accuracy/threshold_%f_mean"
    PRECISION_MEAN = "precision/positive_threshold_%f_mean"
    RECALL_MEAN = "recall/positive_threshold_%f_mean"


class ProblemType:
    """What a model is asked for."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class PredictionType:
    """What a recurrent model is asked for."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


class TaskType:
    """What tasks of a cluster do."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


class Environment:
    """Where clusters run."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class NotFittedError(ValueError, AttributeError):
    """A model was asked or judged before it was trained."""
