"""Kinds of API keys, by how they look."""

import pytest

from server.ports.key_kinds import can_be_sent, is_jwt, kind_of
from tests.cloud.people import ProjectKeys

KEYS = ProjectKeys("https://x.supabase.co")


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("sb_publishable_abc_1", "publishable"),
        ("sb_secret_abc_1", "secret"),
        (KEYS.legacy_key("anon"), "anon"),
        (KEYS.legacy_key("service_role"), "service_role"),
        (KEYS.token("a person"), "unknown"),
        ("service", "unknown"),
        ("", "unknown"),
        ("eyJ.!.x", "unknown"),
        ("eyJ.W10.x", "unknown"),
        ("a.b.c", "unknown"),
    ],
)
def test_a_key_has_the_kind_that_it_shows(key: str, kind: str) -> None:
    assert kind_of(key) == kind


def test_only_a_jwt_may_be_a_bearer_token() -> None:
    assert is_jwt(KEYS.legacy_key("anon"))
    assert not any(map(is_jwt, ("sb_secret_abc", "sb_publishable_abc", "a.b", "", "a.b.c.d", "a b.c.d")))


@pytest.mark.parametrize("key", ["", "sb_secret_a b", "sb_secret_a\n", "sb_secret_ä", "“sb_secret_a”"])
def test_what_no_header_can_carry_is_no_key(key: str) -> None:
    assert not can_be_sent(key)
