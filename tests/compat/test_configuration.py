"""Messages that tell how sessions run: their fields, defaults, text, and names that they refuse."""

from __future__ import annotations

import pytest

import tensorlite.compat.v1 as tf


def test_fields_have_tensorflows_defaults_and_hold_what_they_are_given() -> None:
    config = tf.ConfigProto(
        gpu_options={"allow_growth": True}, device_count={"GPU": 0}
    )
    config.gpu_options.per_process_gpu_memory_fraction = 1
    assert config.gpu_options.allow_growth
    assert config.device_count == {"GPU": 0}
    assert config.intra_op_parallelism_threads == 0
    assert not config.allow_soft_placement
    assert (
        tf.GraphOptions().optimizer_options.opt_level == tf.OptimizerOptions.L1 == 0
    )
    assert tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE).trace_level == 3


@pytest.mark.parametrize("kind", ["ConfigProto", "GPUOptions", "RunOptions"])
def test_a_mistyped_name_is_refused_with_what_is_near(kind: str) -> None:
    made = getattr(tf, kind)
    typo = {
        "ConfigProto": "alow_soft_placement",
        "GPUOptions": "alow_growth",
        "RunOptions": "trace_levels",
    }[kind]
    right = {"R": "trace_level", "C": "allow_soft_placement", "G": "allow_growth"}[
        kind[0]
    ]
    with pytest.raises(ValueError, match=rf'{kind} has no "{typo}" field.* {right}'):
        made(**{typo: True})
    with pytest.raises(AttributeError, match=rf"no attribute '{typo}'.* {right}"):
        setattr(made(), typo, True)


def test_a_value_of_another_type_is_refused_and_changes_nothing() -> None:
    config = tf.ConfigProto(operation_timeout_in_ms=7)
    with pytest.raises(TypeError, match="'soon' has type str, but expected one of"):
        config.operation_timeout_in_ms = "soon"  # type: ignore[assignment]
    assert config.operation_timeout_in_ms == 7
    with pytest.raises(TypeError, match="has type str"):
        tf.ConfigProto(allow_soft_placement="yes")


def test_messages_print_what_is_set_as_tensorflows_do() -> None:
    """TensorFlow 1.15 prints these very lines."""
    options = tf.GPUOptions(allow_growth=True, visible_device_list="0,1")
    config = tf.ConfigProto(device_count={"GPU": 0}, gpu_options=options)
    assert str(config) == (
        'device_count {\n  key: "GPU"\n  value: 0\n}\n'
        'gpu_options {\n  allow_growth: true\n  visible_device_list: "0,1"\n}\n'
    )
    assert not str(tf.ConfigProto())


def test_messages_are_copied_and_compared_by_their_fields() -> None:
    config = tf.ConfigProto(device_filters=["/job:ps"])
    config.experimental.collective_group_leader = "/job:worker"
    copy = tf.ConfigProto()
    copy.CopyFrom(config)
    assert copy == config
    copy.device_filters.append("/job:worker")
    assert config.device_filters == ["/job:ps"]
    assert copy != config
    assert copy.HasField("experimental")
    assert not copy.HasField("gpu_options")
    copy.Clear()
    assert copy == tf.ConfigProto()
    with pytest.raises(
        TypeError, match="CopyFrom takes a ConfigProto, not GPUOptions"
    ):
        copy.CopyFrom(tf.GPUOptions())
