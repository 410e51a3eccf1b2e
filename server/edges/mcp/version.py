"""The version that this program reports to others."""

from importlib import metadata


def version() -> str:
    """The installed package's version; `unknown` in a checkout that was not installed."""
    try:
        return metadata.version("flamechat")
    except metadata.PackageNotFoundError:
        return "unknown"
