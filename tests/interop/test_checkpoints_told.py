"""Checkpoints as lines for reading. The expected lines are those of TensorFlow 1.15."""

from __future__ import annotations

from pathlib import Path

from tensorlite.interop.tensorflow import load_checkpoint

DATA = Path(__file__).parent / "data"


def test_readers_tell_all_tensors_in_tensorflows_lines() -> None:
    parts = [(b"\x80\x98", 24), (b"\x98\x97", 23), (b"\xaf\x97", 23)]
    told = [
        b"\0scope/part\0\1\1\2%s\x80\x82 (DT_FLOAT) [%d,2]" % (place, size)
        for place, size in parts
    ]
    lines = load_checkpoint(DATA / "tf1" / "second").debug_string().split(b"\n")
    assert lines[:5] == [*told, b"bf (DT_BFLOAT16) [4]", b"bool (DT_BOOL) [3,4]"]
    assert lines[-3:] == [b"text (DT_STRING) [3]", b"uint8 (DT_UINT8) [3,4]", b""]
    lines = load_checkpoint(DATA / "tf1" / "first").debug_string().split(b"\n")
    assert lines[-3:] == [
        b"scope/part (DT_FLOAT) [70,2], 3 slices",
        b"uint8 (DT_UINT8) [3,4]",
        b"",
    ]
