"""What TensorFlow calls the parameters of its functions, as it was asked of 1.15.5 and 2.21."""

from __future__ import annotations

from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"

APART: dict[str, frozenset[str]] = {
    "v1": frozenset(
        # Their own parameters are told by the layers' classes, or by what they pass on to.
        [
            "autograph.to_code",
            "autograph.to_graph",
            "function",
            "get_local_variable",
            "image.crop_and_resize",
            "data.experimental.parallel_interleave",
            "load_file_system_library",
            "image.adjust_jpeg_quality",
            "image.encode_jpeg",
            "io.encode_jpeg",
            "linalg.matmul",
            "matmul",
            "nn.max_pool2d",
            "numpy_function",
            "random.experimental.create_rng_state",
            "config.experimental.set_virtual_device_configuration",
            "test.assert_equal_graph_def",
            "variable_op_scope",
        ]
    ),
    "v2": frozenset(
        [
            "data.experimental.parallel_interleave",
            "debugging.assert_none_equal",
            "assert_rank",
            "debugging.assert_rank",
            "debugging.assert_rank_at_least",
            "debugging.assert_rank_in",
            "hessians",
            "image.encode_jpeg",
            "image.non_max_suppression_padded",
            "io.encode_jpeg",
            "io.serialize_many_sparse",
            "io.serialize_sparse",
            "linalg.tridiagonal_solve",
            "scatter_nd",
            "sparse.segment_mean",
            "sparse.segment_sqrt_n",
            "sparse.segment_sum",
            "summary.create_file_writer",
            "tensor_scatter_nd_add",
            "tensor_scatter_nd_max",
            "tensor_scatter_nd_min",
            "tensor_scatter_nd_sub",
        ]
    ),
}
"""Functions that have not all of these in this order."""


def recorded(version: str) -> dict[str, list[str]]:
    """Return the parameters of each function that is public in a version, "v1"."""
    text = (RECORDED / f"parameters_{version}.txt").read_text()
    rows = [line.split() for line in text.splitlines() if line[:1] != "#"]
    return {title: names for title, *names in rows}
