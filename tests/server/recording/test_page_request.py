"""A page that is recorded: which addresses are pages, and what a recording is called."""

import pytest

from server.errors import CannotRecord
from server.recording.page_request import MISUSED, NETWORKS, PageRequest, checked_url, is_go_profile


@pytest.mark.parametrize("url", ["http://localhost:8000", "https://example.com/a?b=c", "file:///tmp/page.html"])
def test_an_address_of_a_page_stays_as_it_is(url: str) -> None:
    assert checked_url(url) == url


@pytest.mark.parametrize("url", ["example.com", "localhost:8000", "ftp://example.com", "javascript:alert(1)", ""])
def test_what_is_no_page_is_refused_with_how_to_write_it(url: str) -> None:
    with pytest.raises(CannotRecord, match="https://") as refused:
        checked_url(url)
    assert refused.value.exit_code == MISUSED
    assert str(refused.value).startswith(url)


@pytest.mark.parametrize(
    ("url", "program"),
    [
        ("https://example.com/shop/cart?token=abc#top", "example.com/shop/cart"),
        ("https://example.com/", "example.com"),
        ("http://localhost:8000", "localhost"),
        ("file:///srv/pages/page.html", "/srv/pages/page.html"),
        ("https://anna:secret@example.com/a", "example.com/a"),
    ],
)
def test_a_recording_is_called_by_host_and_path_alone(url: str, program: str) -> None:
    assert PageRequest(url=url).program == program


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("http://localhost:6060/debug/pprof", True),
        ("http://localhost:6060/debug/pprof/profile?seconds=5", True),
        ("http://localhost:6060/", False),
        ("http://localhost:6060/a?b=/debug/pprof", False),
    ],
)
def test_a_go_program_s_profiles_are_known_by_their_path(url: str, is_one: bool) -> None:
    assert is_go_profile(url) is is_one


def test_a_slow_network_is_slower_in_everything_than_a_fast_one() -> None:
    slow, fast = NETWORKS["slow-3g"], NETWORKS["fast-3g"]
    assert slow[0] > fast[0]
    assert slow[1] < fast[1]
    assert slow[2] < fast[2]
