"""tf.saved_model of TensorFlow 1: gathers its names from where they live."""

from __future__ import annotations

from types import SimpleNamespace

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.saved_models import (
    Builder as Builder,
    SavedModelBuilder,
    build_signature_def,
    build_tensor_info,
    classification_signature_def,
    contains_saved_model as contains_saved_model,
    get_tensor_from_tensor_info,
    is_valid_signature,
    load,
    maybe_saved_model_directory,
    predict_signature_def,
    regression_signature_def,
    simple_save as simple_save,
)

tag_constants = SimpleNamespace(
    EVAL="eval", GPU="gpu", SERVING="serve", TPU="tpu", TRAINING="train"
)
signature_constants = SimpleNamespace(
    CLASSIFY_INPUTS="inputs",
    CLASSIFY_METHOD_NAME="tensorflow/serving/classify",
    CLASSIFY_OUTPUT_CLASSES="classes",
    CLASSIFY_OUTPUT_SCORES="scores",
    DEFAULT_SERVING_SIGNATURE_DEF_KEY="serving_default",
    PREDICT_INPUTS="inputs",
    PREDICT_METHOD_NAME="tensorflow/serving/predict",
    PREDICT_OUTPUTS="outputs",
    REGRESS_INPUTS="inputs",
    REGRESS_METHOD_NAME="tensorflow/serving/regress",
    REGRESS_OUTPUTS="outputs",
)
constants = SimpleNamespace(
    ASSETS_DIRECTORY="assets",
    ASSETS_KEY="saved_model_assets",
    LEGACY_INIT_OP_KEY="legacy_init_op",
    MAIN_OP_KEY="saved_model_main_op",
    SAVED_MODEL_FILENAME_PB="saved_model.pb",
    SAVED_MODEL_FILENAME_PBTXT="saved_model.pbtxt",
    SAVED_MODEL_SCHEMA_VERSION=1,
    VARIABLES_DIRECTORY="variables",
    VARIABLES_FILENAME="variables",
)
builder = SimpleNamespace(SavedModelBuilder=SavedModelBuilder)
loader = SimpleNamespace(
    load=load, maybe_saved_model_directory=maybe_saved_model_directory
)
utils = SimpleNamespace(
    build_tensor_info=build_tensor_info,
    get_tensor_from_tensor_info=get_tensor_from_tensor_info,
)
signature_def_utils = SimpleNamespace(
    build_signature_def=build_signature_def,
    classification_signature_def=classification_signature_def,
    is_valid_signature=is_valid_signature,
    predict_signature_def=predict_signature_def,
    regression_signature_def=regression_signature_def,
)


def __getattr__(name: str) -> object:
    """Say what is near a name that is not there."""
    raise attribute_error(__name__, name, globals())
