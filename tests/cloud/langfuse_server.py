"""Langfuse's HTTP interface as far as its Python package speaks it, over a dictionary: prompts (REST v2), traces (OTLP
protobuf over HTTP), scores, data sets and their items, written from its API reference. The other end is the package
`langfuse`.
"""

import base64
import gzip
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.edges.http.serving import HttpServer, bound_socket
from tests.arrivals import Arrivals
from tests.cloud.faults import Faults
from tests.cloud.supabase_server import Cutting

TIMES = {"createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z"}
DATA_SET_FIELDS = {"name", "description", "metadata", "inputSchema", "expectedOutputSchema"}
ITEM_FIELDS = {
    *("datasetName", "id", "input", "expectedOutput", "metadata", "sourceTraceId", "sourceObservationId", "status"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One observation as it arrived, its attributes as plain values."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    attributes: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.attributes.get("langfuse.observation.type", "span"))


@dataclass(slots=True)
class LangfuseServer:
    """`prompts` by name: (version, label, text or chat messages). `faults` know the services `prompts`, `traces`,
    `scores` and `data_sets`. `sent` is every byte of traces and scores, unpacked; `others` are the paths of all other
    requests. `data_sets` are ids by name, `items` those of all of them by their ids.
    """

    url: str
    public_key: str = field(default_factory=lambda: f"pk-lf-{secrets.token_hex(8)}")
    secret_key: str = field(default_factory=lambda: f"sk-lf-{secrets.token_hex(8)}")
    faults: Faults = field(default_factory=Faults)
    prompts: dict[str, tuple[int, str, str | list[dict[str, str]]]] = field(default_factory=dict)
    asked: Arrivals[tuple[str, str | None]] = field(default_factory=Arrivals)
    spans: list[Span] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    sent: bytes = b""
    data_sets: dict[str, str] = field(default_factory=dict)
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    _news: anyio.Event = field(default_factory=anyio.Event)

    def settings(self) -> dict[str, str]:
        """What a server needs to know of the project, as environment variables."""
        return {
            "LANGFUSE_HOST": self.url,
            "LANGFUSE_PUBLIC_KEY": self.public_key,
            "LANGFUSE_SECRET_KEY": self.secret_key,
        }

    async def arrived(self, spans: int = 0, scores: int = 0) -> None:
        """Wait until so many have arrived."""
        with anyio.fail_after(60):
            while len(self.spans) < spans or len(self.scores) < scores:
                await self._news.wait()

    def of_kind(self, kind: str) -> list[Span]:
        return [span for span in self.spans if span.kind == kind]

    async def prompt(self, request: Request) -> Response:
        name, label = request.path_params["name"], request.query_params.get("label")
        self.asked.append((name, label))
        if (done := await self._arrive(request, "prompts")) is not None:
            return done
        version, labelled, text = self.prompts.get(name, (0, "", ""))
        if not version or label != labelled:
            return JSONResponse({"message": f"Prompt not found: {name}", "error": "LangfuseNotFoundError"}, 404)
        return JSONResponse(
            {
                "id": "p1",
                "name": name,
                "version": version,
                "type": "text" if isinstance(text, str) else "chat",
                "prompt": text,
                "labels": [labelled],
                "tags": [],
                "config": {},
                "createdAt": "2026-01-01T00:00:00.000Z",
                "updatedAt": "2026-01-01T00:00:00.000Z",
                "projectId": "project",
                "createdBy": "API",
            }
        )

    async def traces(self, request: Request) -> Response:
        if (done := await self._arrive(request, "traces")) is not None:
            return done
        body = await request.body()
        if request.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.sent += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.spans += [_span(span) for span in scope.spans]
        self._notify()
        return Response(ExportTraceServiceResponse().SerializeToString(), media_type="application/x-protobuf")

    async def take_scores(self, request: Request) -> Response:
        if (done := await self._arrive(request, "scores")) is not None:
            return done
        body = await request.body()
        self.sent += body
        taken = json.loads(body)
        self.scores += taken if isinstance(taken, list) else taken.get("scores", [taken])
        self._notify()
        return JSONResponse({"successes": [], "errors": []}, 202)

    async def take_data_set(self, request: Request) -> Response:
        """Made, or changed where the name is known."""
        if (done := await self._arrive(request, "data_sets")) is not None:
            return done
        body = await request.json()
        if not isinstance(body.get("name"), str) or body.keys() - DATA_SET_FIELDS:
            return JSONResponse({"message": "Invalid request data", "error": "InvalidRequestError"}, 400)
        found = self.data_sets.setdefault(body["name"], f"d{len(self.data_sets) + 1}")
        return JSONResponse(
            {"id": found, "projectId": "project", **TIMES, "description": None, "metadata": None, **body}
        )

    async def take_item(self, request: Request) -> Response:
        """Made, or replaced where its id is known; an id is that of one data set for ever."""
        if (done := await self._arrive(request, "data_sets")) is not None:
            return done
        body = await request.json()
        if not isinstance(body.get("datasetName"), str) or body.keys() - ITEM_FIELDS or len(body.get("id") or "") > 255:
            return JSONResponse({"message": "Invalid request data", "error": "InvalidRequestError"}, 400)
        data_set = self.data_sets.get(body["datasetName"])
        if data_set is None:
            return JSONResponse({"message": "Dataset not found", "error": "LangfuseNotFoundError"}, 404)
        item: dict[str, Any] = dict.fromkeys(("expectedOutput", "metadata", "input"))
        item |= {"id": f"i{len(self.items)}", "status": "ACTIVE"}
        item |= {name: value for name, value in body.items() if value is not None}
        if self.items.get(item["id"], item)["datasetName"] != body["datasetName"]:
            return JSONResponse({"message": f"Dataset item with id {item['id']} exists elsewhere"}, 404)
        self.items[item["id"]] = item
        return JSONResponse(item | TIMES | {"datasetId": data_set, "mediaReferences": []})

    async def projects(self, request: Request) -> Response:
        if (done := await self._arrive(request, "data_sets")) is not None:
            return done
        project = {"id": "project", "name": "project", "metadata": {}, "organization": {"id": "o", "name": "o"}}
        return JSONResponse({"data": [project]})

    async def other(self, request: Request) -> Response:
        self.others.append(request.url.path)
        return JSONResponse({"message": "Not found"}, 404)

    async def _arrive(self, request: Request, service: str) -> Response | None:
        """What a planned fault or a false key answers."""
        if (fault := await self.faults.meet(service)) is not None:
            return fault
        known = base64.b64encode(f"{self.public_key}:{self.secret_key}".encode()).decode()
        if request.headers.get("authorization") != f"Basic {known}":
            return JSONResponse({"message": "Invalid credentials", "error": "UnauthorizedError"}, 401)
        return None

    def _notify(self) -> None:
        self._news.set()
        self._news = anyio.Event()


def _span(span: Any) -> Span:
    return Span(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        name=span.name,
        attributes={one.key: _value(one.value) for one in span.attributes},
    )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return None if kind is None else getattr(value, kind)


@asynccontextmanager
async def langfuse_server(*, prompt: str | None = None) -> AsyncIterator[LangfuseServer]:
    """Serve a project until the block ends, with version 3 of the prompt `analysis-system-prompt` if it is given."""
    with bound_socket("127.0.0.1", 0) as listening:
        project = LangfuseServer(f"http://127.0.0.1:{listening.getsockname()[1]}")
        if prompt is not None:
            project.prompts["analysis-system-prompt"] = (3, "production", prompt)
        app = Starlette(
            routes=[
                Route("/api/public/v2/prompts/{name}", project.prompt, methods=["GET"]),
                Route("/api/public/otel/v1/traces", project.traces, methods=["POST"]),
                Route("/api/public/scores", project.take_scores, methods=["POST"]),
                Route("/api/public/v2/datasets", project.take_data_set, methods=["POST"]),
                Route("/api/public/dataset-items", project.take_item, methods=["POST"]),
                Route("/api/public/projects", project.projects, methods=["GET"]),
                Route("/{path:path}", project.other, methods=["GET", "POST", "PATCH", "PUT"]),
            ]
        )
        server = HttpServer(Cutting(app))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            try:
                yield project
            finally:
                server.should_exit = True
