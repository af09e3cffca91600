from __future__ import annotations

import pytest

from grader.outputs.graded_workbook.distribution import class_index, is_closed, score_classes
from grader.rubric import Scale


def test_a_short_scale_has_a_class_for_each_value() -> None:
    classes = score_classes(Scale(min=1, max=5, step=1))

    assert [each.label for each in classes] == ["1", "2", "3", "4", "5"]
    assert class_index(classes, 3) == 2
    assert class_index(classes, 2.5) is None


def test_a_long_scale_is_cut_into_ten_parts_and_no_score_falls_between() -> None:
    classes = score_classes(Scale(min=0, max=100, step=1))

    assert [classes[0].label, classes[-1].label] == ["0 to <10", "90 to 100"]
    assert [class_index(classes, score) for score in (0, 9.99, 10, 89, 90, 100)] == [0, 0, 1, 8, 9, 9]
    assert all(class_index(classes, score) is not None for score in range(101))


def test_tenths_find_their_class_in_spite_of_binary_fractions() -> None:
    classes = score_classes(Scale(min=0, max=1))

    assert [class_index(classes, tenth / 10) for tenth in range(11)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (Scale(min=1, max=5, step=1), True),
        (Scale(min=0, max=100, choices=(0, 50, 100)), False),
        (Scale(min=0, max=1), False),
    ],
)
def test_a_scale_is_closed_where_its_values_are_all_there_are(scale: Scale, expected: bool) -> None:
    assert is_closed(scale) is expected
