"""What is fixed of SavedModels: names of files, tags, and what signatures call their tensors."""

from __future__ import annotations

from types import SimpleNamespace

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
    DEBUG_DIRECTORY="debug",
    DEBUG_INFO_FILENAME_PB="saved_model_debug_info.pb",
    SAVED_MODEL_FILENAME_PB="saved_model.pb",
    SAVED_MODEL_FILENAME_PBTXT="saved_model.pbtxt",
    SAVED_MODEL_SCHEMA_VERSION=1,
    VARIABLES_DIRECTORY="variables",
    VARIABLES_FILENAME="variables",
)
FIXED: dict[str, str | int] = {
    **vars(tag_constants),
    **vars(signature_constants),
    **vars(constants),
}
"""All of these, as namespaces have them."""
