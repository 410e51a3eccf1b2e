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
        ("tool", f"p4ssw0rd={SECRET}"),
        ("tool", "--s3cret", SECRET),
        ("tool", f"--contraseña={SECRET}"),
        ("tool", f"/p:{SECRET}"),
        ("tool", f"/password:{SECRET}"),
        ("tool", "/user:me", SECRET),
        ("osql", "-U", "sa", f"-P{SECRET}"),
        ("ldapsearch", "-x", "-w", SECRET),
        ("docker", "login", "-p", SECRET),
        ("tool", "--username", "me", "-p", SECRET),
        ("tool", "-U", "me", "-w", SECRET),
        ("curl", "-b", f"session={SECRET}"),
        ("ab", "-A", f"me:{SECRET}", "http://host/"),
        ("http", "-a", f"me:{SECRET}", "host"),
        ("sqlplus", f"me/{SECRET}@db"),
        ("openssl", "enc", "-k", SECRET),
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
        "hvs." + "a1B2" * 6,
        "s." + "a1B2" * 6,
        "glrt-" + "a1B2" * 5,
        "4eC39HqLyjWDarjtT1zdp7dc",
        "--anything=" + "a1b2" * 8,
        "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ==",
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
        "mailto:ada@example.org",
        "/p:Configuration=Release",
        "--max_tokens=512",
        "ReportOfTheLastQuarterOfTheYearForCustomers2",
        "data_2026_q3_customers_of_the_north_v2",
        "global-feature-flag-service-of-shop",
        "--commit=" + "a1b2" * 10,
        "image@sha256:" + "a1b2" * 16,
        "a-long-option-name-of-many-words-without-any-figure",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked((text,)) == (text,)


@pytest.mark.parametrize(
    "argv",
    [
        ("tool", "--max-tokens", "512"),
        ("tool", "--password-file", "/run/secrets/db"),
        ("tool", "--sort-key", "date"),
        ("tool", "--pass", "2"),
        ("tool", "--auth", "none"),
        ("tool", "--pin-memory", "--other-option"),
        ("tool", "--commit", "a1b2" * 10),
        ("docker", "run", "-p", "8080:80", "image"),
        ("ssh", "-p", "2222", "host"),
        ("psql", "-U", "me", "-w", "shop"),
        ("psql", "-U", "me", "-p", "5432"),
        ("mysql", "-u", "me", "-P", "3306"),
        ("python", "-u", "worker.py", "-p", "data.csv"),
    ],
)
def test_words_behind_options_that_are_no_secrets_stay(argv: tuple[str, ...]) -> None:
    assert masked(argv) == argv


@pytest.mark.parametrize("piece", ["a", "1", "a1", "aB1", "+", "-", "a-", "a=", "a@", "a:b@", "/a", "eyJ."])
def test_a_long_word_is_read_in_time(piece: str) -> None:
    """Its time would grow with the square of its length, or faster, and the test would not end."""
    assert masked_text(piece * (20_000 // len(piece)) + "!")
