"""tf.keras.layers of version 1: recurrent ones have other activations, weights and gates."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import listing
from tensorlite.compat.shared.arrays import concat
from tensorlite.compat.v1.keras import (
    layers_attention as attention,
    layers_convolved as convolved,
    layers_core as core,
    layers_noises as noises,
    layers_written,
)
from tensorlite.compat.v1.keras.activations import hard_sigmoid
from tensorlite.compat.v1.keras.cells_written import (
    GatedCell,
    MemoryCell,
    SimpleCell,
)
from tensorlite.compat.v1.keras.convolved_steps import ConvLSTM2D
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v1.keras.inputs import Input as Input
from tensorlite.compat.v1.keras.layers_cudnn import CuDNNGRU, CuDNNLSTM
from tensorlite.compat.v1.keras.normalization import BatchNormalization
from tensorlite.compat.v1.keras.recurrent_written import (
    Bidirectional,
    Looped,
    StackedRNNCells,
)
from tensorlite.compat.v2.keras import initializers, layers
from tensorlite.graph_mode.graph import active_graph


class LSTMCell(MemoryCell, layers.LSTMCell):
    """A step of an LSTM whose gates are lines that are cut off."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = hard_sigmoid,
        *args: Any,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(units, activation, recurrent_activation, *args, **kwargs)
        self.implementation = implementation

    def first_bias(self, shape: Any, dtype: Any = None) -> Any:
        if active_graph() is None or not self.unit_forget_bias:
            return super().first_bias(shape, dtype)
        n, first = self.units, self.bias_initializer
        forget = initializers.Ones()((n,), dtype=dtype)
        return concat(
            [first((n,), dtype=dtype), forget, first((2 * n,), dtype=dtype)], 0
        )


class GRUCell(GatedCell, layers.GRUCell):
    """A step of a GRU which forgets before it multiplies, and whose gates are cut off."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = hard_sigmoid,
        use_bias: bool = True,
        reset_after: bool = False,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            recurrent_activation,
            use_bias,
            reset_after,
            **kwargs,
        )
        self.implementation = implementation


class SimpleRNNCell(SimpleCell, layers.SimpleRNNCell):
    """A step of a simple recurrent layer."""


class LSTM(Looped, layers.LSTM):
    """Long short-term memory."""

    kind = LSTMCell
    unused = ("use_cudnn",)


class GRU(Looped, layers.GRU):
    """Gated recurrent units."""

    kind = GRUCell
    unused = ("use_cudnn",)


class SimpleRNN(Looped, layers.SimpleRNN):
    """A recurrent layer whose result is its state."""

    kind = SimpleRNNCell


class RNN(Looped, layers.RNN):
    """A cell over the steps of sequences."""


class Embedding(layers.Embedding):
    """Rows of a table; a model that begins with it knows what it is given."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *args: Any,
        input_length: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(input_dim, output_dim, *args, **kwargs)
        sizes = (
            input_length
            if isinstance(input_length, (tuple, list))
            else (input_length,)
        )
        self.given_shape = self.given_shape or (None, *sizes)
        self.input_length = input_length
        self.is_told_dtype = True


class DenseFeatures(layers.DenseFeatures):
    """What columns say of features, side by side."""


Dense, Flatten, Reshape = core.Dense, core.Flatten, core.Reshape
Activation, RepeatVector = core.Activation, core.RepeatVector
Masking, TimeDistributed = core.Masking, core.TimeDistributed
Conv1D = Convolution1D = convolved.Conv1D
Conv2D = Convolution2D = convolved.Conv2D
Conv3D = Convolution3D = convolved.Conv3D
Conv2DTranspose = Convolution2DTranspose = convolved.Conv2DTranspose
Conv3DTranspose = Convolution3DTranspose = convolved.Conv3DTranspose
SeparableConv1D = SeparableConvolution1D = convolved.SeparableConv1D
SeparableConv2D = SeparableConvolution2D = convolved.SeparableConv2D
DepthwiseConv2D = convolved.DepthwiseConv2D
ZeroPadding1D, ZeroPadding2D = convolved.ZeroPadding1D, convolved.ZeroPadding2D
ZeroPadding3D = convolved.ZeroPadding3D
LocallyConnected1D = convolved.LocallyConnected1D
LocallyConnected2D = convolved.LocallyConnected2D
Dropout, AlphaDropout = noises.Dropout, noises.AlphaDropout
GaussianNoise, GaussianDropout = noises.GaussianNoise, noises.GaussianDropout
SpatialDropout1D, SpatialDropout2D = noises.SpatialDropout1D, noises.SpatialDropout2D
SpatialDropout3D = noises.SpatialDropout3D
MaxPooling1D = MaxPool1D = layers_written.MaxPooling1D
AveragePooling1D = AvgPool1D = layers_written.AveragePooling1D
GlobalMaxPooling1D = GlobalMaxPool1D = layers_written.GlobalMaxPooling1D
GlobalAveragePooling1D = layers_written.GlobalAveragePooling1D
GlobalAvgPool1D = GlobalAveragePooling1D
UpSampling1D = layers_written.UpSampling1D
UpSampling2D = layers_written.UpSampling2D
Attention, AdditiveAttention = attention.Attention, attention.AdditiveAttention
PReLU, Dot = layers_written.PReLU, layers_written.Dot
LeakyReLU = layers_written.LeakyReLU
LayerNormalization = layers_written.LayerNormalization
DIFFERENT = (
    layers_written.KINDS
    | core.KINDS
    | convolved.KINDS
    | noises.KINDS
    | attention.KINDS
    | {
        kind.__name__: kind
        for kind in (
            BatchNormalization,
            Embedding,
            *(
                LSTMCell,
                GRUCell,
                SimpleRNNCell,
                LSTM,
                GRU,
                SimpleRNN,
                RNN,
                StackedRNNCells,
                ConvLSTM2D,
                Bidirectional,
                DenseFeatures,
            ),
            *(CuDNNLSTM, CuDNNGRU),
        )
    }
    | dict.fromkeys(
        ("BatchNormalizationV1", "BatchNormalizationV2"), BatchNormalization
    )  # as files of TensorFlow 1.13 call it
)
"""What is found by its name in programs of version 1."""

__dir__ = listing(__name__, globals(), vars(layers))
__getattr__ = rest_of(layers, __name__, globals())
