"""Who there is in a test's project: its signing keys, its API keys, and access tokens good and bad."""

import json
import time
import uuid
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

KEY_ID = "signing-key-1"
RSA_KEY_ID = "signing-key-2"
LIFETIME_S = 3600
PUBLISHABLE_KEY = "sb_publishable_of-a-test_1"


@cache
def _one_rsa_key() -> rsa.RSAPrivateKey:
    """Shared by all projects of a process: making one takes longer than most tests."""
    return rsa.generate_private_key(65_537, 2048)


def person_id(name: str) -> str:
    """The same in every process."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.example"))


@dataclass(slots=True)
class ProjectKeys:
    """Tokens of one project. `url` is the project's address."""

    url: str
    secret: str = "a shared secret of at least thirty-two characters"
    elliptic: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    modular: rsa.RSAPrivateKey = field(default_factory=_one_rsa_key)
    secret_keys: tuple[str, ...] = ("sb_secret_of-a-test_1", "sb_secret_of-a-test_2")
    revoked: set[str] = field(default_factory=set)

    def jwks(self) -> dict[str, list[dict[str, Any]]]:
        """What `/.well-known/jwks.json` says."""
        curve = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.elliptic.public_key()))
        modulus = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.modular.public_key()))
        return {
            "keys": [
                {**curve, "kid": KEY_ID, "alg": "ES256", "use": "sig", "key_ops": ["verify"]},
                {**modulus, "kid": RSA_KEY_ID, "alg": "RS256", "use": "sig", "key_ops": ["verify"]},
            ]
        }

    def claims(self, user_id: str, **changed: Any) -> dict[str, Any]:
        """Of a good token; `changed` replaces some, and None leaves one out."""
        now = int(time.time())
        claims = {
            "iss": f"{self.url}/auth/v1",
            "sub": user_id,
            "aud": "authenticated",
            "exp": now + LIFETIME_S,
            "iat": now,
            "role": "authenticated",
            "email": f"{user_id[:8]}@example.com",
            "session_id": str(uuid.uuid4()),
            "is_anonymous": False,
            "app_metadata": {"provider": "email"},
            "user_metadata": {},
            **changed,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, user_id: str, *, algorithm: str = "ES256", key_id: str | None = None, **changed: Any) -> str:
        """An access token as Supabase Auth signs it."""
        key: Any = {"ES256": self.elliptic, "RS256": self.modular, "HS256": self.secret}[algorithm]
        default = {"ES256": KEY_ID, "RS256": RSA_KEY_ID}.get(algorithm)
        kid = key_id or default
        headers = {} if kid is None else {"kid": kid}
        return jwt.encode(self.claims(user_id, **changed), key, algorithm, headers=headers)

    def legacy_key(self, role: str) -> str:
        """The project's `anon` or `service_role` key, in the form that all projects had until 2025."""
        claims = {"iss": "supabase", "ref": "test", "role": role, "iat": 1_700_000_000, "exp": 4_000_000_000}
        return jwt.encode(claims, self.secret, "HS256")

    def api_key(self, role: str) -> str:
        """The project's publishable key (`anon`), or its first secret one (`service_role`)."""
        return PUBLISHABLE_KEY if role == "anon" else self.secret_keys[0]

    def role_of_key(self, api_key: str) -> str | None:
        """What the project's gateway knows of a key; None for one that it does not have, or has no more."""
        if api_key in self.revoked:
            return None
        if api_key in {PUBLISHABLE_KEY, self.legacy_key("anon")}:
            return "anon"
        return "service_role" if api_key in {*self.secret_keys, self.legacy_key("service_role")} else None

    def read(self, token: str) -> dict[str, Any]:
        """The claims of a token of this project, good for its own services. Raises jwt.PyJWTError."""
        header = jwt.get_unverified_header(token)
        keys: dict[str, tuple[Any, str]] = {
            KEY_ID: (self.elliptic.public_key(), "ES256"),
            RSA_KEY_ID: (self.modular.public_key(), "RS256"),
        }
        key, algorithm = keys.get(str(header.get("kid")), (self.secret, "HS256"))
        claims: dict[str, Any] = jwt.decode(token, key, algorithms=[algorithm], options={"verify_aud": False})
        return claims
