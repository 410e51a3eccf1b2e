"""The manifests of `deploy/kubernetes` fit each other and the server: selectors, ports, probes, settings, measures."""

import re
from pathlib import Path
from typing import Any

import httpx
import kubernetes_validate
import pytest
import yaml  # type: ignore[import-untyped]
from click.testing import CliRunner

from server.adapters.prometheus import PrometheusMeasures
from server.edges.cli.command_values import ServeOptions
from server.edges.cli.entry_points import CliEntryPoints
from server.edges.cli.main import build_cli
from server.edges.http.serving import SIGTERM_DRAIN_S
from server.settings import PREFIX, Settings
from tests.server.test_serve import serving

DEPLOY = Path(__file__).parents[2] / "deploy"
FOLDER = DEPLOY / "kubernetes"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text(encoding="utf-8"))
OBJECTS: list[dict[str, Any]] = [
    one
    for name in KUSTOMIZATION["resources"]
    for one in yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8"))
]
ROLES = ("web", "worker")
PROVIDERS = ("AWS_", "GOOGLE_", "AZURE_")
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
CLUSTERS = ("1.31", "1.34", "1.37")
"""Of two years: the schemas are those that `kubernetes-validate` brings."""
KINDS = {
    "Namespace": "v1",
    "ServiceAccount": "v1",
    "Service": "v1",
    "Deployment": "apps/v1",
    "Ingress": "networking.k8s.io/v1",
    "PodDisruptionBudget": "policy/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
}


def of_kind(kind: str, name: str | None = None) -> list[dict[str, Any]]:
    return [one for one in OBJECTS if one["kind"] == kind and name in {None, one["metadata"]["name"]}]


def pod(role: str) -> dict[str, Any]:
    (deployment,) = of_kind("Deployment", f"flamechat-{role}")
    template: dict[str, Any] = deployment["spec"]["template"]
    return template


def container(role: str) -> dict[str, Any]:
    (one,) = pod(role)["spec"]["containers"]
    found: dict[str, Any] = one
    return found


def variables(file: str) -> dict[str, str]:
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def options(role: str) -> ServeOptions:
    """What the command line of a container says, read by the program's own."""
    given: list[ServeOptions] = []

    def serve(one: ServeOptions) -> int:
        given.append(one)
        return 0

    program = build_cli(CliEntryPoints(serve=serve, analysis=lambda *_: pytest.fail("not asked")))
    assert CliRunner().invoke(program, container(role)["args"]).exit_code == 0
    return given[0]


def test_every_file_is_a_resource_or_has_another_use_that_is_known() -> None:
    others = {"kustomization.yaml", "measures.yaml", "settings.env", "secret.env", "secret.env.example"}
    files = {file.name for file in FOLDER.iterdir()}
    assert files - others == set(KUSTOMIZATION["resources"])
    for generator in ("configMapGenerator", "secretGenerator"):
        ((file,),) = (one["envs"] for one in KUSTOMIZATION[generator])
        assert {file, f"{file}.example"} & files


def test_each_kind_has_the_version_that_clusters_of_today_serve_and_each_name_stands_once() -> None:
    assert {one["kind"]: one["apiVersion"] for one in OBJECTS} == KINDS
    names = [(one["kind"], one["metadata"]["name"]) for one in OBJECTS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("version", CLUSTERS)
def test_each_object_fits_the_schema_of_the_clusters_version_without_an_unknown_field(version: str) -> None:
    for one in OBJECTS:
        kubernetes_validate.validate(one, version, strict=True)


def test_a_field_that_no_cluster_knows_is_found() -> None:
    (deployment,) = of_kind("Deployment", "flamechat-web")
    wrong = deployment | {"spec": deployment["spec"] | {"replicaz": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, CLUSTERS[-1], strict=True)


def test_selectors_choose_the_pods_of_one_role() -> None:
    labels = {role: pod(role)["metadata"]["labels"] for role in ROLES}
    for role in ROLES:
        (deployment,) = of_kind("Deployment", f"flamechat-{role}")
        (budget,) = of_kind("PodDisruptionBudget", f"flamechat-{role}")
        (spread,) = pod(role)["spec"]["topologySpreadConstraints"]
        for selector in (deployment["spec"]["selector"], budget["spec"]["selector"], spread["labelSelector"]):
            chosen = selector["matchLabels"].items()
            assert [other for other in ROLES if chosen <= labels[other].items()] == [role]
    (service,) = of_kind("Service")
    chosen = service["spec"]["selector"].items()
    assert [role for role in ROLES if chosen <= labels[role].items()] == ["web"], "workers take no requests"


def test_a_request_finds_its_way_from_the_ingress_to_the_port_of_the_image() -> None:
    (ingress,), (service,) = of_kind("Ingress"), of_kind("Service")
    (rule,) = ingress["spec"]["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    (port,) = service["spec"]["ports"]
    assert (backend["name"], backend["port"]["name"]) == (service["metadata"]["name"], port["name"])
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, flags=re.MULTILINE)
    for role in ROLES:
        ports = {one["name"]: one["containerPort"] for one in container(role)["ports"]}
        assert ports[port["targetPort"]] == int(exposed) == Settings.model_fields["port"].default
        assert {container(role)[probe]["httpGet"]["port"] for probe in PROBES} <= ports.keys()
    assert [rule["host"]] == ingress["spec"]["tls"][0]["hosts"]
    assert rule["host"] in variables("settings.env")["FLAMECHAT_ALLOWED_HOSTS"].split(",")


@pytest.mark.parametrize("role", ROLES)
def test_a_container_has_its_role_and_nothing_that_would_be_taken_for_a_setting(role: str) -> None:
    assert options(role) == ServeOptions(host=None, port=None, data=None, open=None, role=role)
    assert pod(role)["spec"]["enableServiceLinks"] is False, "FLAMECHAT_WEB_PORT would be an unknown setting"
    given = {one.get("configMapRef", one.get("secretRef"))["name"] for one in container(role)["envFrom"]}
    assert given == {one["name"] for key in ("configMapGenerator", "secretGenerator") for one in KUSTOMIZATION[key]}


def test_the_variables_are_settings_that_fit_together_and_the_secret_ones_are_apart() -> None:
    plain, secret = variables("settings.env"), variables("secret.env.example")
    known = {PREFIX + name.upper(): field for name, field in Settings.model_fields.items()}
    ours = [name for name in plain | secret if not name.startswith(PROVIDERS)]
    assert [name for name in ours if name not in known] == []
    assert set(secret.values()) == {""}
    for name in ours:
        assert ("SecretStr" in str(known[name].annotation)) == (name in secret), name
    values = {name: value or "sb_secret_x" for name, value in (plain | secret).items()}
    given = {name.removeprefix(PREFIX).lower(): values[name] for name in ours}
    settings = Settings(host="0.0.0.0", **given)  # type: ignore[arg-type]
    settings.check_exposure()
    settings.check_supabase()
    assert settings.objects is not None, "pods share no folder"
    assert settings.most_connections_per_address == settings.connections, "all come from the ingress"


@pytest.mark.parametrize("role", ROLES)
def test_a_pod_is_nobody_in_particular_and_writes_where_the_image_says(role: str) -> None:
    spec, one = pod(role)["spec"], container(role)
    user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, flags=re.MULTILINE)
    assert user is not None
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert (spec["securityContext"]["runAsUser"], spec["securityContext"]["fsGroup"]) == tuple(map(int, user.groups()))
    assert one["securityContext"]["readOnlyRootFilesystem"] is True
    assert one["securityContext"]["allowPrivilegeEscalation"] is False
    mounts = {mount["name"]: mount["mountPath"] for mount in one["volumeMounts"]}
    assert mounts.keys() == {volume["name"] for volume in spec["volumes"]}
    data = re.search(r"FLAMECHAT_DATA=(\S+)", DOCKERFILE)
    assert data is not None
    assert data[1] in mounts.values()
    assert spec["terminationGracePeriodSeconds"] > SIGTERM_DRAIN_S + 5
    assert spec["serviceAccountName"] == of_kind("ServiceAccount")[0]["metadata"]["name"]
    assert one["image"] == KUSTOMIZATION["images"][0]["name"]


def test_the_autoscalers_name_deployments_and_measures_that_there_are() -> None:
    shown = PrometheusMeasures()
    shown.watch("turns_running", "As a server does.", lambda: 0)
    counted = set(re.findall(r"^(flamechat_\w+)", shown.exposition(), flags=re.MULTILINE))
    rules = yaml.safe_load((FOLDER / "measures.yaml").read_text(encoding="utf-8"))
    asked = {rule["name"]["as"]: rule["seriesQuery"].partition("{")[0] for key in rules for rule in rules[key]}
    assert set(asked.values()) <= counted
    for scaler in of_kind("HorizontalPodAutoscaler"):
        target = scaler["spec"]["scaleTargetRef"]
        (deployment,) = of_kind(target["kind"], target["name"])
        assert scaler["spec"]["minReplicas"] == deployment["spec"]["replicas"] >= 2
        for metric in scaler["spec"]["metrics"]:
            name = metric[metric["type"].lower()].get("metric", {}).get("name")
            assert name is None or name in asked
    (workers,) = of_kind("HorizontalPodAutoscaler", "flamechat-worker")
    running = int(workers["spec"]["metrics"][0]["pods"]["target"]["averageValue"])
    assert 0 < running < Settings.model_fields["turns_at_once"].default


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES)
def test_the_probes_are_answered_by_a_server_of_that_role(role: str, tmp_path: Path) -> None:
    one = container(role)
    with (
        serving(tmp_path / "data", *one["args"][1:]) as (_, address),
        httpx.Client(base_url=address, trust_env=False, timeout=60) as client,
    ):
        answered = {probe: client.get(one[probe]["httpGet"]["path"]).status_code for probe in PROBES}
    assert answered == dict.fromkeys(PROBES, 200)
