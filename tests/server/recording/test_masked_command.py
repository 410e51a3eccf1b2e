"""Secrets in a command are not kept; what is none stays readable."""

import pytest

from server.recording.masked_command import MASK, masked, masked_text

SECRET = "hunter2-Zq9x"


@pytest.mark.parametrize(
    "argv",
    [
        ("tool", "--password", SECRET),
        ("tool", f"--password={SECRET}"),
        ("tool", "--db-password", SECRET),
        ("tool", "-token", SECRET),
        ("tool", "--api-key", SECRET),
        ("tool", f"API_KEY={SECRET}"),
        ("env", f"AWS_SECRET_ACCESS_KEY={SECRET}", "tool"),
        ("curl", "-H", f"Authorization: Bearer {SECRET}"),
        ("curl", "-H", f"X-Api-Key: {SECRET}"),
        ("curl", f"https://user:{SECRET}@example.org/x"),
        ("curl", f"https://{SECRET}@example.org/x"),
        ("curl", f"https://example.org/x?a=1&access_token={SECRET}&b=2"),
        ("tool", f'{{"password": "{SECRET}"}}'),
        ("psql", f"host=db password={SECRET} user=me"),
        ("python", "-c", f"connect(token='{SECRET}')"),
        ("python3.12", "-c", f"login('me', '{SECRET}')"),
        ("node", "-e", f"login('{SECRET}')"),
        ("node", f"--eval=login('{SECRET}')"),
        ("php", "-r", f"login('{SECRET}');"),
        ("sh", "-c", f"tool {SECRET}"),
        ("mysql", "-uroot", f"-p{SECRET}"),
        ("sshpass", "-p", SECRET, "ssh", "host"),
        ("redis-cli", "-a", SECRET),
        ("curl", "-u", f"me:{SECRET}"),
        ("curl", f"-ume:{SECRET}"),
        ("curl", f"--proxy-user=me:{SECRET}"),
        ("curl", f"https://user:p@{SECRET}@example.org/x"),
        ("psql", f"postgres://user:a/{SECRET}@db/x"),
        ("tool", f"user:{SECRET}@example.org"),
        ("tool", f"--password=a&{SECRET}"),
        ("tool", f"--password=a {SECRET}"),
        ("tool", f"password='a; {SECRET}'"),
        ("tool", f'{{"password": "a, {SECRET}"}}'),
        ("curl", "-H", f"Cookie: a=b; sid={SECRET}"),
        ("curl", "-H", f"Authorization: ApiKey {SECRET}"),
        ("curl", "-H", f'Authorization: Digest username="a", response="{SECRET}"'),
        ("openssl", "-passin", f"pass:{SECRET}"),
        ("tool", "--clientSecret", SECRET),
        ("tool", "--dbPassword", SECRET),
        ("tool", f"--encryption-key={SECRET}"),
        ("tool", f"AccountName=a;AccountKey={SECRET};"),
        ("tool", f"PASSWORD%3D{SECRET}"),
        ("tool", f"Bearer {SECRET}"),
        ("tool", f"set_password('{SECRET}')"),
        ("tool", f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_what_is_named_a_secret_is_masked(argv: tuple[str, ...]) -> None:
    words = masked(argv)
    assert SECRET not in " ".join(words)
    assert MASK in " ".join(words)
    assert words[0] == argv[0]


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "a1B2" * 8,
        "ghp_" + "a1B2" * 9,
        "AKIA" + "A1B2" * 4,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "a1b2" * 10,
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "SG." + "a1B2" * 5 + "." + "a1B2" * 10,
        "https://hooks.slack.com/services/T00000000/B00000000/" + "a1B2" * 6,
    ],
)
def test_what_looks_like_a_key_is_masked_wherever_it_stands(secret: str) -> None:
    assert secret not in masked_text(f"run {secret} now")


@pytest.mark.parametrize(
    "text",
    [
        "python",
        "--author=ada",
        "--tokenizer=bert",
        "--bypass",
        "monkey: business",
        "http://localhost:3000/@vite/client",
        "https://registry.example.org/@scope/package",
        "image:1.2@sha256:abc",
        "src/app.py",
        "--rate=100",
        "-n",
        "tests/test_passwords.py::test_a_token_is_read",
        "https://example.org/path?page=2",
        "/a/very/long/path/with/many/folders/2024/and/a/file.py",
        "1234567890123456789012345678901234567890",
        "a-long-option-name-of-many-words-without-any-figure",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked((text,)) == (text,)
