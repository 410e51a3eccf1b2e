"""The file of repositories: what is wrong in it is said in a line."""

from pathlib import Path

import pytest

from server.adapters.repositories.repository_file import OF_GITHUB, OF_GITLAB, read_repositories
from server.errors import ConfigError

RIGHT = '[repositories.shop]\nhost = "github"\nproject = "acme/shop"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[repositories.shop", "is no TOML"),
        ("[repositories.Shop]\n", "pattern"),
        ('[repositories.shop]\nhost = "other"\nproject = "acme/shop"\n', "host"),
        ('[repositories.shop]\nhost = "github"\nproject = "acme"\n', "project"),
        ('[repositories.shop]\nhost = "github"\nproject = "acme/shop/deep"\n', "owner/name"),
        ('[repositories.shop]\nhost = "gitlab"\nproject = "acme/.."\n', "owner/name"),
        (RIGHT + 'token = "ghp_in_the_open"\n', "token"),
        (RIGHT + 'api = "file:///etc"\n', "api"),
        (RIGHT + 'api = "https://user@host"\n', "api"),
        (RIGHT + 'branch = "main"\n', "branch"),
    ],
)
def test_what_is_wrong_is_named(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=says):
        read_repositories(file, {})


def test_hosts_have_their_public_addresses_unless_others_are_named(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text(RIGHT + '[repositories.two]\nhost = "gitlab"\nproject = "a/b/c"\n')
    assert [one.api for one in read_repositories(file, {})] == [OF_GITHUB, OF_GITLAB]
    file.write_text(RIGHT + 'api = "https://git.example/api/v3/"\n')
    assert [one.api for one in read_repositories(file, {})] == ["https://git.example/api/v3"]
    with pytest.raises(ConfigError, match="cannot be read"):
        read_repositories(tmp_path / "none.toml", {})
