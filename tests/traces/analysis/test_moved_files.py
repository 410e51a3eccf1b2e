"""A file is the same where a program lies in another folder, and under another name where its functions are."""

from traces.analysis.moved_files import moved_files


def test_a_folder_that_lies_elsewhere_keeps_its_files() -> None:
    before = {"/opt/old/app/models.py": {"save", "load"}, "/opt/old/app/auth/models.py": {"login", "load"}}
    after = {"/srv/app/models.py": {"save", "load"}, "/srv/app/auth/models.py": {"login", "load"}}
    assert moved_files(before, after) == {
        "/srv/app/models.py": "/opt/old/app/models.py",
        "/srv/app/auth/models.py": "/opt/old/app/auth/models.py",
    }


def test_a_file_with_another_name_is_known_by_its_functions() -> None:
    assert moved_files({"etl.py": {"extract", "transform"}}, {"etl_after.py": {"extract", "transform", "cached"}}) == {
        "etl_after.py": "etl.py"
    }


def test_one_function_of_that_name_makes_no_other_file_the_same() -> None:
    assert moved_files({"json.py": {"decode"}}, {"msgpack.py": {"decode"}}) == {}
    assert moved_files({"a.py": {"run", "b", "c", "d", "e"}}, {"z.py": {"run", "b", "x", "y", "w"}}) == {}


def test_a_file_that_both_have_was_not_moved() -> None:
    before = {"old/views.py": {"show"}, "new/views.py": {"edit"}}
    assert moved_files(before, {"new/views.py": {"edit", "show"}}) == {}


def test_a_name_that_many_files_have_says_nothing() -> None:
    before = {f"old/{number}.py": {"run", "__init__"} for number in range(30)}
    assert moved_files(before, {"new/0.py": {"run", "__init__"}}) == {}
