"""Names of options, variables, headers and labels whose value is a secret, and which of their values are none."""

import re

_ANYWHERE = re.compile(
    r"passw|passphrase|passcode|secret(?!ar)|token(?!i[sz])|apikey|credential|authori[sz]ation|cookie|signature|bearer"
    r"|connectionstring|sess(?:ion)?id|kennwort|contrase|wachtwoord|motdepasse|parola|senha|пароль|密码|密碼|パスワード|비밀번호"
)
"""In a name without its separators: all that has it is a secret's."""
_PARTS = frozenset(
    {
        "auth", "creds", "cred", "dsn", "jwt", "key", "keys", "mdp", "oauth", "otp", "pass", "passin", "passout", "pin",
        "pw", "pwd", "sid", "sig", "tok",
    }
)  # fmt: skip
"""Words of a name, where they stand alone: no compass is a password."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LEET = str.maketrans("013457$@", "oleastsa")
"""As people write `p4ssw0rd`."""

_KEY_OF_DATA = re.compile(
    r"(?:primary|foreign|sort|partition|public|group|cache|join|row|index)[-_.]?keys?", re.IGNORECASE
)
_PLACE = re.compile(r"[A-Za-z][\w.-]*[-_.]?(?:file|path|dir|folder|jar)", re.IGNORECASE)
"""Names of files: what lies there is kept nowhere."""
_COUNTED = re.compile(
    r"(?:[\w.-]*[-_.])?(?:tokens|keys|size|frames|limit|count|length|bits|timeout|ttl|rate|max|min|token[-_]id)",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\d[\d.,_]*[kKMGs]?|[\d.]+e\d+")
_IDENTITY = re.compile(
    r"(?:[\w.-]*[-_.])?(?:commit|sha\d*|rev|revision|digest|checksum|uuid|guid|(?:build|trace|span|request|run|job)[-_.]?id)",
    re.IGNORECASE,
)
_SETTINGS = frozenset({"none", "true", "false", "yes", "no", "on", "off"})
_LONG_OPTION = re.compile(r"--[a-z]{2,}(?:-[a-z]+)*")
"""What follows an option that has no value."""
_HEX = re.compile(r"(?:sha\d+:)?[0-9a-fA-F-]+")


def is_secret(name: str) -> bool:
    """Whether the name of an option, variable or label is that of a secret."""
    if _KEY_OF_DATA.fullmatch(name):
        return False
    if any(part.lower() in _PARTS for part in _PART.findall(name)):
        return True
    lower = name.lower()
    return any(_ANYWHERE.search(re.sub(r"[\W\d_]", "", one)) for one in (lower, lower.translate(_LEET)))


def is_harmless(name: str, value: str) -> bool:
    """Whether what is named so stays although its name has a secret's word in it, or looks like a key: a count, the
    place of a file, the id of a commit or a request."""
    if _PLACE.fullmatch(name) or value in _SETTINGS or _LONG_OPTION.fullmatch(value):
        return True
    if name.lower() in ("pass", "passes"):
        return value.isdecimal() and len(value) < 3
    if _COUNTED.fullmatch(name):
        return _COUNT.fullmatch(value) is not None
    return is_identity(name, value)


def is_identity(name: str, value: str) -> bool:
    """Whether it is the id of a commit, a build, a request: letters and digits without an end, as a key has them."""
    return _IDENTITY.fullmatch(name) is not None and _HEX.fullmatch(value) is not None
