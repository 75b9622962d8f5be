"""tf.keras.layers: gathers its names from where they live."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2.keras.src.layers.activations import (
    ELU,
    LeakyReLU,
    PReLU,
    ReLU,
    Softmax,
)
from tensorlite.compat.v2.keras.src.layers.adapting import Normalization
from tensorlite.compat.v2.keras.src.layers.attention import (
    AdditiveAttention,
    Attention,
)
from tensorlite.compat.v2.keras.src.layers.augmenting import (
    RandomBrightness,
    RandomContrast,
    RandomCrop,
    RandomFlip,
    RandomPerspective,
    RandomRotation,
    RandomShear,
    RandomTranslation,
    RandomZoom,
)
from tensorlite.compat.v2.keras.src.layers.base import InputSpec, Layer
from tensorlite.compat.v2.keras.src.layers.bins import Discretization
from tensorlite.compat.v2.keras.src.layers.categories import (
    CategoryEncoding,
    HashedCrossing,
    Hashing,
)
from tensorlite.compat.v2.keras.src.layers.cells import (
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    StackedRNNCells,
)
from tensorlite.compat.v2.keras.src.layers.colours import (
    RandomColorJitter,
    RandomGaussianBlur,
    RandomGrayscale,
    RandomHue,
    RandomInvert,
    RandomPosterization,
    RandomSaturation,
    RandomSharpness,
    Solarization,
)
from tensorlite.compat.v2.keras.src.layers.contrast import (
    AutoContrast,
    Equalization,
    RandomColorDegeneration,
)
from tensorlite.compat.v2.keras.src.layers.convolutions import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    DepthwiseConv2D,
    SeparableConv2D,
)
from tensorlite.compat.v2.keras.src.layers.core import (
    Activation,
    ActivityRegularization,
    Dense,
    Embedding,
    Flatten,
    Masking,
    Permute,
    RepeatVector,
    Rescaling,
    Reshape,
)
from tensorlite.compat.v2.keras.src.layers.dropping import (
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from tensorlite.compat.v2.keras.src.layers.features import DenseFeatures
from tensorlite.compat.v2.keras.src.layers.functions import Lambda
from tensorlite.compat.v2.keras.src.layers.heads import (
    GroupedQueryAttention,
    MultiHeadAttention,
)
from tensorlite.compat.v2.keras.src.layers.images import CenterCrop, Resizing
from tensorlite.compat.v2.keras.src.layers.input import Input, InputLayer
from tensorlite.compat.v2.keras.src.layers.lookups import IntegerLookup, StringLookup
from tensorlite.compat.v2.keras.src.layers.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from tensorlite.compat.v2.keras.src.layers.mixing import (
    AugMix,
    CutMix,
    MaxNumBoundingBoxes,
    MixUp,
    RandAugment,
    RandomErasing,
)
from tensorlite.compat.v2.keras.src.layers.more import (
    DepthwiseConv1D,
    EinsumDense,
    Identity,
    Pipeline,
    ReversibleEmbedding,
    SeparableConv1D,
    ThresholdedReLU,
    UpSampling3D,
    Wrapper,
)
from tensorlite.compat.v2.keras.src.layers.normalization import BatchNormalization
from tensorlite.compat.v2.keras.src.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    Cropping1D,
    Cropping2D,
    Cropping3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    UpSampling1D,
    UpSampling2D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from tensorlite.compat.v2.keras.src.layers.recurrent import (
    GRU,
    LSTM,
    RNN,
    Bidirectional,
    SimpleRNN,
)
from tensorlite.compat.v2.keras.src.layers.saved import TFSMLayer
from tensorlite.compat.v2.keras.src.layers.scaling import (
    GroupNormalization,
    LayerNormalization,
    RMSNormalization,
    UnitNormalization,
)
from tensorlite.compat.v2.keras.src.layers.special import (
    AdaptiveAveragePooling1D,
    AdaptiveAveragePooling2D,
    AdaptiveAveragePooling3D,
    AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D,
    AdaptiveMaxPooling3D,
    ConvLSTM1D,
    ConvLSTM2D,
    ConvLSTM3D,
    SpectralNormalization,
)
from tensorlite.compat.v2.keras.src.layers.spectra import (
    MelSpectrogram,
    STFTSpectrogram,
)
from tensorlite.compat.v2.keras.src.layers.stretching import RandomHeight, RandomWidth
from tensorlite.compat.v2.keras.src.layers.texts import TextVectorization
from tensorlite.compat.v2.keras.src.layers.timed import TimeDistributed
from tensorlite.compat.v2.keras.src.saving import describing, lookup

GlobalAvgPool3D, GlobalMaxPool3D = GlobalAveragePooling3D, GlobalMaxPooling3D
SeparableConvolution1D = SeparableConv1D
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
Convolution1DTranspose = Conv1DTranspose
Convolution2DTranspose = Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
SeparableConvolution2D = SeparableConv2D


def serialize(layer: Any, use_legacy_format: bool = False) -> dict[str, Any]:
    """Return the configuration from which `deserialize` makes the layer, without weights.

    use_legacy_format has no effect.
    """
    return describing.description(layer)


def deserialize(
    config: Any, custom_objects: Any = None, use_legacy_format: bool = False
) -> Any:
    """Return the layer of a configuration; custom_objects are looked up too.

    use_legacy_format has no effect.
    """
    with lookup.adding(custom_objects):
        return describing.restored(config)


GroupQueryAttention = GroupedQueryAttention
_PREPROCESSING = (
    *(CategoryEncoding, CenterCrop, Discretization, Hashing, IntegerLookup),
    *(Normalization, RandomContrast, RandomCrop, RandomFlip, RandomHeight),
    *(RandomRotation, RandomTranslation, RandomWidth, RandomZoom, Rescaling),
    *(Resizing, StringLookup, TextVectorization),
)
experimental = SimpleNamespace(
    EinsumDense=EinsumDense,
    preprocessing=SimpleNamespace(
        PreprocessingLayer=Layer,
        **{layer.__name__: layer for layer in _PREPROCESSING},
    ),
)
"""Where TensorFlow 2.3 to 2.9 has layers that stand among the others since."""

__all__ = [
    "Pipeline",
    "ReversibleEmbedding",
    "AugMix",
    "CutMix",
    "MaxNumBoundingBoxes",
    "MixUp",
    "RandAugment",
    "RandomErasing",
    "RandomColorJitter",
    "RandomGaussianBlur",
    "RandomGrayscale",
    "RandomHue",
    "RandomInvert",
    "RandomPosterization",
    "RandomSaturation",
    "RandomSharpness",
    "Solarization",
    "RandomPerspective",
    "RandomShear",
    "AutoContrast",
    "Equalization",
    "RandomColorDegeneration",
    "Activation",
    "ActivityRegularization",
    "AdaptiveAveragePooling1D",
    "AdaptiveAveragePooling2D",
    "AdaptiveAveragePooling3D",
    "AdaptiveMaxPooling1D",
    "AdaptiveMaxPooling2D",
    "AdaptiveMaxPooling3D",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "CategoryEncoding",
    "CenterCrop",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DenseFeatures",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "Dot",
    "Dropout",
    "ELU",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRU",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "GroupQueryAttention",
    "HashedCrossing",
    "Hashing",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "IntegerLookup",
    "LSTM",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MelSpectrogram",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "RNN",
    "RandomBrightness",
    "RandomContrast",
    "RandomCrop",
    "RandomFlip",
    "RandomRotation",
    "RandomTranslation",
    "RandomZoom",
    "RandomHeight",
    "RandomWidth",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "Resizing",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "STFTSpectrogram",
    "SpectralNormalization",
    "StackedRNNCells",
    "StringLookup",
    "Subtract",
    "TFSMLayer",
    "TextVectorization",
    "ThresholdedReLU",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "Wrapper",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "experimental",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
