"""Linear-chain conditional random fields: scores, losses, training, the best tags."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.RandomState(0)
SCORES = RNG.randn(3, 5, 3).astype("f")
TRANSITIONS = RNG.randn(3, 3).astype("f")
TAGS = RNG.randint(0, 3, (3, 5)).astype("i")
LENGTHS = np.array([5, 3, 1], "i")


def program(tf: Any) -> dict[str, Any]:
    """Return what each part of it finds."""
    return {
        "scored": scored(tf, SCORES, LENGTHS),
        "short": scored(tf, SCORES[:, :1], np.array([1, 0, 1], "i")),
        "trained": trained(tf),
        "cells": cells(tf),
        "outside": [
            np.asarray(x).tolist()
            for x in tf.contrib.crf.viterbi_decode(SCORES[0], TRANSITIONS)
        ],
    }


def scored(tf: Any, scores: Any, lengths: Any) -> list[Any]:
    """Return all scores, of a batch whose size only a run knows."""
    crf, time = tf.contrib.crf, scores.shape[1]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, time, 3])
        tags, count = tf.constant(TAGS[:, :time]), tf.constant(lengths)
        several = tf.one_hot(tags, 3) + tf.one_hot((tags + 1) % 3, 3) > 0
        fed = {x: scores}
        every = [
            crf.crf_unary_score(tags, count, x),
            crf.crf_binary_score(tags, count, tf.constant(TRANSITIONS)),
            crf.crf_sequence_score(x, tags, count, tf.constant(TRANSITIONS)),
            crf.crf_multitag_sequence_score(
                x, several, count, tf.constant(TRANSITIONS)
            ),
            crf.crf_log_norm(x, count, tf.constant(TRANSITIONS)),
            crf.crf_log_likelihood(x, tags, count, tf.constant(TRANSITIONS))[0],
            *crf.crf_decode(x, tf.constant(TRANSITIONS), count),
        ]
        return [session.run(one, fed) for one in every]


def trained(tf: Any) -> list[Any]:
    """Return the loss of some steps, and names."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=SCORES)
        with tf.variable_scope(
            "crf", initializer=tf.constant_initializer(TRANSITIONS)
        ):
            likely, follow = tf.contrib.crf.crf_log_likelihood(
                x, tf.cast(TAGS, tf.int64), LENGTHS.astype("int64")
            )
        loss = tf.reduce_mean(-likely)
        step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step])[0] for _ in range(5)]
        return [losses, follow.name, session.run(follow)]


def cells(tf: Any) -> list[Any]:
    """Return a turn of each cell."""
    crf = tf.contrib.crf
    with tf.Graph().as_default(), tf.Session() as session:
        x, state = tf.constant(SCORES[:, 0]), tf.constant(SCORES[:, 1])
        follow = tf.constant(TRANSITIONS)
        forward = crf.CrfForwardRnnCell(follow)
        best = crf.CrfDecodeForwardRnnCell(follow)
        back = crf.CrfDecodeBackwardRnnCell(3)
        made = [forward(x, state), best(x, state)]
        made.append(back(made[1][0], tf.constant([[2], [0], [1]])))
        sizes = [[c.state_size, c.output_size] for c in (forward, best, back)]
        return [session.run(made), sizes]
