"""tf.keras.utils: datasets of folders and series, images, windows and pairs of words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError

keras: Any = tf.keras
utils, preprocessing = keras.utils, keras.preprocessing


def placed_texts(folder: Path) -> None:
    for name, words in (
        ("bad", ["poor", "dull"]),
        ("good", ["fine", "great", "rich"]),
    ):
        (folder / name).mkdir(parents=True)
        for i, word in enumerate(words):
            (folder / name / f"{i}.txt").write_text(word)
    (folder / "notes.md").write_text("no text of a class")


def test_texts_are_read_from_the_folders_of_their_classes(tmp_path: Path) -> None:
    placed_texts(tmp_path)
    data = utils.text_dataset_from_directory(tmp_path, batch_size=3, shuffle=False)
    assert data.class_names == ["bad", "good"]
    batches = [(x.numpy().tolist(), y.numpy().tolist()) for x, y in data]
    assert batches == [
        ([b"poor", b"dull", b"fine"], [0, 0, 1]),
        ([b"great", b"rich"], [1, 1]),
    ]
    cut = utils.text_dataset_from_directory(
        tmp_path,
        label_mode="categorical",
        max_length=2,
        batch_size=None,
        shuffle=False,
    )
    first, label = next(iter(cut))
    assert (first.numpy(), label.numpy().tolist()) == (b"po", [1.0, 0.0])
    alone = utils.text_dataset_from_directory(tmp_path, labels=None, batch_size=None)
    assert min(x.numpy() for x in alone) == b"dull"
    with pytest.raises(InvalidArgumentError, match="folders in"):
        utils.text_dataset_from_directory(tmp_path, class_names=["odd"])


def test_a_share_of_the_files_is_held_back(tmp_path: Path) -> None:
    placed_texts(tmp_path)
    given = {
        "validation_split": 0.4,
        "seed": 3,
        "batch_size": None,
        "label_mode": None,
    }
    parts = [
        {
            x.numpy()
            for x in utils.text_dataset_from_directory(
                tmp_path, subset=which, **given
            )
        }
        for which in ("training", "validation")
    ]
    assert [len(part) for part in parts] == [3, 2]
    assert parts[0] | parts[1] == {b"poor", b"dull", b"fine", b"great", b"rich"}
    both = utils.text_dataset_from_directory(tmp_path, subset="both", **given)
    assert [{x.numpy() for x in part} for part in both] == parts


def test_images_are_read_at_one_size(tmp_path: Path) -> None:
    shades = np.arange(4 * 6, dtype=np.float32).reshape(4, 6, 1) * 10
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        utils.save_img(
            tmp_path / name / "x.png", np.repeat(shades, 3, -1), scale=False
        )
    data = preprocessing.image_dataset_from_directory(
        tmp_path, image_size=(4, 6), color_mode="grayscale", label_mode="binary"
    )
    images, labels = next(iter(data))
    np.testing.assert_allclose(images.numpy(), np.stack([shades, shades]), atol=1)
    assert sorted(labels.numpy().ravel().tolist()) == [0.0, 1.0]
    square = utils.image_dataset_from_directory(
        tmp_path, image_size=(4, 4), crop_to_aspect_ratio=True, batch_size=None
    )
    np.testing.assert_allclose(next(iter(square))[0].numpy()[..., :1], shades[:, 1:5])


def test_sounds_are_read_at_one_length_or_at_their_own(tmp_path: Path) -> None:
    for name, lengths in (("high", [3, 5]), ("low", [2])):
        (tmp_path / name).mkdir()
        for i, length in enumerate(lengths):
            sound = tf.audio.encode_wav(tf.ones((length, 1)) * 0.5, 8000)
            tf.io.write_file(str(tmp_path / name / f"{i}.wav"), sound)
    read = utils.audio_dataset_from_directory

    def first(**given: Any) -> Any:
        return next(iter(read(tmp_path, shuffle=False, verbose=False, **given)))

    padded, labels = first()
    assert padded.shape == (3, 5, 1)
    np.testing.assert_allclose(padded.numpy().sum((1, 2)), [1.5, 2.5, 1.0], atol=1e-3)
    assert labels.numpy().tolist() == [0, 0, 1]
    cut, _ = first(output_sequence_length=4)
    np.testing.assert_allclose(cut.numpy().sum((1, 2)), [1.5, 2.0, 1.0], atol=1e-3)
    own, _ = first(ragged=True)
    assert own.row_lengths().numpy().tolist() == [3, 5, 2]
    training, held = read(tmp_path, validation_split=0.4, subset="both", seed=1)
    assert training.class_names == held.class_names == ["high", "low"]
    with pytest.raises(InvalidArgumentError, match="their own"):
        first(ragged=True, output_sequence_length=4)


def test_images_go_to_arrays_and_back(tmp_path: Path) -> None:
    array = np.array([[[0, 50], [100, 255]]], np.float32).transpose(1, 2, 0)
    image = utils.array_to_img(array, scale=False)
    np.testing.assert_allclose(utils.img_to_array(image), array)
    utils.save_img(tmp_path / "x.png", array, scale=False)
    read = utils.load_img(
        tmp_path / "x.png", color_mode="grayscale", target_size=(4, 4)
    )
    want = array.repeat(2, axis=0).repeat(2, axis=1)
    np.testing.assert_allclose(preprocessing.image.img_to_array(read), want)
    with pytest.raises(InvalidArgumentError, match="rank 3"):
        utils.array_to_img(np.zeros((2, 2)))


def test_series_are_cut_into_windows() -> None:
    rows = np.arange(20)
    data = utils.timeseries_dataset_from_array(
        rows[:-3], rows[3:], 3, sequence_stride=4, sampling_rate=1, batch_size=2
    )
    batches = [(x.numpy().tolist(), y.numpy().tolist()) for x, y in data]
    assert batches[0] == ([[0, 1, 2], [4, 5, 6]], [3, 7])
    assert batches[-1] == ([[8, 9, 10], [12, 13, 14]], [11, 15])
    wide = utils.timeseries_dataset_from_array(
        rows, None, 3, sampling_rate=2, start_index=5, end_index=12, batch_size=None
    )
    assert [x.numpy().tolist() for x in wide] == [[5, 7, 9], [6, 8, 10], [7, 9, 11]]
    older = preprocessing.sequence.TimeseriesGenerator(rows, rows, 4, batch_size=8)
    x, y = older[1]
    assert (len(older), x[0].tolist(), y[0]) == (2, [8, 9, 10, 11], 12)
    with pytest.raises(InvalidArgumentError, match="sampling_rate"):
        utils.timeseries_dataset_from_array(rows, None, 3, sampling_rate=30)


def test_datasets_are_split() -> None:
    first, last = utils.split_dataset(np.arange(10), left_size=0.7)
    assert [int(x) for x in first] == list(range(7))
    assert [int(x) for x in last] == [7, 8, 9]
    mixed, _ = utils.split_dataset(np.arange(10), right_size=2, shuffle=True, seed=1)
    assert sorted(int(x) for x in mixed) != list(range(8))


def test_words_become_pairs_and_numbers() -> None:
    pairs, labels = preprocessing.sequence.skipgrams(
        [1, 2, 3], 10, window_size=1, negative_samples=0.0, shuffle=False
    )
    assert pairs == [[1, 2], [2, 1], [2, 3], [3, 2]]
    assert labels == [1, 1, 1, 1]
    table = preprocessing.sequence.make_sampling_table(100)
    assert np.all(np.diff(table[1:]) > 0)
    numbers = preprocessing.text.hashing_trick("a b a", 50, hash_function="md5")
    assert numbers[0] == numbers[2] != numbers[1]


def test_what_leads_to_a_tensor_is_found() -> None:
    a, b = keras.Input((2,)), keras.Input((2,))
    made = keras.layers.Add()([keras.layers.Dense(2)(a), b])
    assert {x.name for x in utils.get_source_inputs(made)} == {a.name, b.name}


def test_batches_by_number_say_how_they_might_be_made() -> None:
    class Own(keras.utils.PyDataset):  # type: ignore[misc]
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)

        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> Any:
            return np.ones((3, 1), np.float32), np.ones((3, 1), np.float32)

    batches = Own(workers=2, use_multiprocessing=False, max_queue_size=4)
    assert (batches.workers, batches.max_queue_size) == (2, 4)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    assert len(model.fit(batches, verbose=0).history["loss"]) == 1
