"""A collector of OpenTelemetry as far as OTLP over HTTP goes: keeps the spans that it is sent."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.arrivals import Arrivals
from tests.foreign_servers import serving


@dataclass(frozen=True, slots=True)
class ServerSpan:
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    is_error: bool
    attributes: dict[str, Any]
    service: str


@dataclass(slots=True)
class SpanCollector:
    url: str = ""
    spans: Arrivals[ServerSpan] = field(default_factory=Arrivals)
    sent: bytes = b""

    async def take(self, request: Request) -> Response:
        body = await request.body()
        body = gzip.decompress(body) if request.headers.get("content-encoding") == "gzip" else body
        self.sent += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _attributes(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    facts = _attributes(span.attributes)
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    self.spans.append(ServerSpan(span.name, *ids, span.status.code == 2, facts, service))
        return Response(media_type="application/x-protobuf")


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


@asynccontextmanager
async def span_collector() -> AsyncIterator[SpanCollector]:
    collector = SpanCollector()
    async with serving(Starlette(routes=[Route("/v1/traces", collector.take, methods=["POST"])])) as url:
        collector.url = url
        yield collector
