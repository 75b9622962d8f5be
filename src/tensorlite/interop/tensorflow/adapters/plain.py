"""Operators that are here under the same name, or another, with the same inputs and attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeAlias

from tensorlite.core.errors import GraphDefError
from tensorlite.core.op import REGISTRY, Op
from tensorlite.graph.kinds import KINDS
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.ops import every
from tensorlite.ops.composite import Composite

Adapter: TypeAlias = Callable[[Given], Values]

__all__ = ["PLAIN", "Adapter", "Plain"]
assert every is not None  # it registers all operators


@dataclass(frozen=True)
class Plain:
    """Makes a node of an operator here, whose attributes have the same names, or others."""

    op: str
    order: tuple[int, ...] = ()
    """Which input stands at which place, where the order differs."""
    names: dict[str, str] = field(default_factory=dict)
    """What TensorFlow calls the attributes that have another name there."""

    def operator(self, given: Given) -> Op:
        """Return the operator, with the attributes of a node."""
        cls = REGISTRY[self.op]
        hints = {one.name: str(one.type) for one in _fields(cls)}
        known = given.record.signature
        values = {
            own: _checked(given, self.names.get(own, own), kind)
            for own, kind in hints.items()
            if known is None or self.names.get(own, own) in known.attributes
        }
        return cls(**values)

    def __call__(self, given: Given) -> Values:
        """Return the outputs of the node."""
        op, inputs = self.operator(given), given.tensors
        if self.order:
            inputs = [given.tensor(i) for i in self.order]
        return given.made(op, *inputs)


def _fields(cls: type[Op]) -> Sequence[Field[Any]]:
    return fields(cls) if cls.attribute_names() else ()


def _checked(given: Given, name: str, kind: str) -> Any:
    value = given.attribute(name)
    if name in COUNTS and not (type(value) is int and 0 <= value <= MOST):
        raise GraphDefError(
            f"{given.record}: its attribute {name!r} is {value!r}; allowed are 0 to {MOST}"
        )
    holds = KINDS.get(kind)
    if holds is not None and not holds(value):
        raise GraphDefError(
            f"{given.record}: its attribute {name!r} is {value!r}, which is no {kind}"
        )
    return value


COUNTS = {"N", "num", "num_partitions", "num_split"}
"""Attributes that say how many inputs or outputs there are."""
MOST = 2**16
"""How many outputs an operator may have."""

_SAME = """
    Abs Acos Acosh AddN AddV2 All Any ArgMax ArgMin Asin Asinh Atan Atan2 Atanh AvgPool AvgPoolGrad
    ApproxTopK
    BatchMatMulV2 BatchToSpaceND DepthToSpace SpaceToBatchND SpaceToDepth
    SparseReshape SparseToDense
    Betainc Digamma Igamma IgammaGradA Lgamma Polygamma RandomGammaGrad Zeta
    Bitcast BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo
    Ceil CheckNumerics Cholesky ClipByValue ComplexAbs ConcatOffset ConcatV2 Conj Conv2D
    Conv2DBackpropFilter Conv2DBackpropInput Cos Cosh Cumprod Cumsum DepthwiseConv2dNative
    DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput DynamicPartition
    DynamicStitch Einsum Elu EluGrad EmptyTensorList Enter Erf Exit Exp ExpandDims Expm1
    Fill Floor FloorDiv FloorMod GatherNd GatherV2 Greater GreaterEqual Identity Imag
    InTopKV2 Invert InvertPermutation IsFinite IsInf IsNan L2Loss LeakyRelu LeakyReluGrad LeftShift
    Less LessEqual Log Log1p LogMatrixDeterminant LogSoftmax LogicalAnd LogicalNot LogicalOr
    LoopCond MatMul MatrixBandPart MatrixDeterminant MatrixDiagPartV3 MatrixDiagV3 MatrixInverse
    MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve Max MaxPool MaxPoolGrad Maximum
    MaxPoolGradGrad Mean Merge Min Minimum MirrorPad Mul Neg NextAfter NextIteration OneHot
    OnesLike Pack ParallelDynamicStitch
    PadV2 Pow Prod Qr Range Rank Real RealDiv Reciprocal Relu Relu6 Relu6Grad ReluGrad Reshape
    ReverseSequence ReverseV2 RightShift Rint Roll Rsqrt ScatterNd SegmentMax SegmentMean SegmentMin
    SegmentProd SegmentSum SelectV2 SelfAdjointEigV2 Selu SeluGrad Shape Sigmoid SigmoidGrad Sign
    Sin Sinh Size Slice Softmax SoftmaxCrossEntropyWithLogits Softplus Softsign
    ShardedFilename ShardedFilespec StaticRegexFullMatch StringJoin
    SparseSoftmaxCrossEntropyWithLogits Split SplitV Sqrt Square Squeeze
    StatelessRandomGetKeyCounter
    StatelessRandomNormalV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformIntV2
    StatelessRandomUniformV2 StatelessTruncatedNormalV2 StopGradient StridedSlice StridedSliceGrad
    Sub Sum Svd Switch Tan Tanh TensorListConcatV2 TensorListFromTensor TensorListGetItem
    TensorListLength TensorListPopBack TensorListPushBack TensorListResize
    TensorListSetItem TensorListSplit TensorListStack TensorScatterAdd TensorScatterMax
    TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate Tile TopKV2
    Transpose Unique Unpack UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd
    UnsortedSegmentSum Where ZerosLike NoOp Timestamp
    AsString AvgPool3D BesselI0e BesselI1e CTCGreedyDecoder CTCLoss Conv3D DecodeRaw Erfinv LinSpace
    MaxPool3D MaxPoolWithArgmax Ndtri ReduceJoin ResizeBilinear ResizeNearestNeighbor
    StatelessRandomGammaV3 StatelessShuffle StringFormat StringToNumber
    AvgPool3DGrad CTCBeamSearchDecoder Conv3DBackpropFilterV2 Conv3DBackpropInputV2
    CumulativeLogsumexp DecodeBase64 DecodeBmp DecodeGif DecodeImage DecodePng DrawBoundingBoxesV2
    EditDistance EncodeBase64 EncodePng LookupTableExportV2 LookupTableFindV2
    LookupTableImportV2 LookupTableInsertV2 LookupTableRemoveV2 LookupTableSizeV2 MatchingFiles
    MatrixLogarithm
    MatrixSquareRoot MaxPool3DGrad MaxPool3DGradGrad ParseTensor ReadFile ResizeArea ResizeBicubic
    ResizeBicubicGrad ResizeBilinearGrad ScaleAndTranslate ScaleAndTranslateGrad SerializeTensor
    SparseToSparseSetOperation StaticRegexReplace StringLength StringLower StringSplit
    StringSplitV2 StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong
    StringUpper Substr UnicodeDecode UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript
    UnicodeTranscode WriteFile
    BesselJ0 BesselJ1 BesselK0e BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin
    DecodeCSV Erfc ListDiff Lu NonMaxSuppressionV5 SerializeManySparse SerializeSparse SetSize
    CombinedNonMaxSuppression Spence Print PrintV2 ExtractGlimpse ExtractGlimpseV2
    DecodeWav EncodeWav
    MirrorPadGrad BlockLSTM BlockLSTMGrad DecodeJSONExample GRUBlockCellGrad LSTMBlockCellGrad
    DecodeCompressed Bucketize NthElement BipartiteMatch ImageConnectedComponents
    StatefulRandomBinomial StatelessRandomBinomial
    StatelessRandomPoisson StatelessParameterizedTruncatedNormal
    EmptyTensorMap TensorMapErase TensorMapHasKey TensorMapInsert TensorMapLookup TensorMapSize
    TensorMapStackKeys
"""

_COMPOSITES = [name for name, op in REGISTRY.items() if issubclass(op, Composite)]

PLAIN: dict[str, Adapter] = {name: Plain(name) for name in _SAME.split()}
PLAIN |= {name: Plain(name) for name in _COMPOSITES}
PLAIN |= {
    "BiasAddV1": Plain("BiasAdd"),
    "BatchMatMul": Plain("BatchMatMulV2"),
    "BatchMatMulV3": Plain("BatchMatMulV2"),
    "Cast": Plain("Cast", names={"to": "DstT"}),
    "Concat": lambda given: Plain(
        "ConcatV2", order=(*range(1, len(given.values)), 0)
    )(given),
    "DeepCopy": Plain("Identity"),
    "Inv": Plain("Reciprocal"),
    # It is read only: TensorFlow has functions in its place now.
    "MatrixExponential": Plain("MatrixExponential").__call__,
    "Mod": Plain("TruncateMod"),
    "Snapshot": Plain("Identity"),
    "ControlTrigger": Plain("ControlTrigger"),
    "DestroyResourceOp": Plain("DestroyResourceOp"),
    "RandomIndexShuffle": Plain("RandomIndexShuffle"),
}
