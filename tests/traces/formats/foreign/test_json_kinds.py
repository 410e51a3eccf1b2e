"""JSON that is no trace, each kind by the members that its programs write."""

import json
from typing import Any

import pytest

from traces.errors import UnrecognisedTrace
from traces.reader import read_trace

CALLED: list[tuple[Any, str]] = [
    ({"snapshot": {}, "nodes": [], "edges": []}, "a heap snapshot of V8"),
    ({"snapshot": {"meta": {"node_fields": []}}}, "a heap snapshot of V8"),
    ({"log": {"entries": []}}, "a list of a page's requests (HAR)"),
    ({"log": {"creator": {}}}, "a list of a page's requests (HAR)"),
    ({"resourceProfiles": []}, "OpenTelemetry profiles as JSON"),
    ({"resourceSpans": []}, "spans of a distributed trace (OpenTelemetry)"),
    ({"scopeSpans": []}, "spans of a distributed trace (OpenTelemetry)"),
    ({"batches": []}, "spans of a distributed trace (OpenTelemetry)"),
    ({"resourceLogs": []}, "logs or metrics of OpenTelemetry"),
    ({"resourceMetrics": []}, "logs or metrics of OpenTelemetry"),
    ({"data": [{"traceID": "1"}]}, "spans of a distributed trace (Jaeger)"),
    ({"traceID": "1", "spans": []}, "spans of a distributed trace (Jaeger)"),
    ({"traceId": "1", "spans": []}, "spans of a distributed trace (Google Cloud Trace)"),
    ([{"traceId": "1", "id": "2"}], "spans of a distributed trace (Zipkin)"),
    ({"trace_id": "1", "span_id": "2"}, "spans of a distributed trace:"),
    ({"Segments": [], "Id": "1"}, "spans of a distributed trace (X-Ray)"),
    ({"trace_id": "1", "start_time": 1, "end_time": 2}, "spans of a distributed trace (X-Ray)"),
    ([{"method": "Page.load", "params": {}}], "a log of the DevTools protocol"),
    ({"lighthouseVersion": "12"}, "a report of Lighthouse"),
    ({"fetchTime": "now", "Timing": []}, "artifacts of Lighthouse"),
    ({"dhatFileVersion": 2}, "a profile of a heap (DHAT)"),
    ({"version": 5, "dataForRoots": []}, "a profile of React's DevTools"),
    ({"schema": "1", "nodes": [], "start_ts": 1}, "an execution trace of PyTorch"),
    ({"constants": {}, "events": []}, "a log of Chrome's network (NetLog)"),
    ({"version": 3, "sources": [], "mappings": ""}, "a source map"),
    ({"cells": [], "nbformat": 4}, "a notebook (Jupyter)"),
    ({"compilerOptions": {}}, "settings of a project"),
    ({"devDependencies": {}}, "settings of a project"),
    ({"dependencies": {}}, "settings of a project"),
    ({"lockfileVersion": 3}, "settings of a project"),
    ({"openapi": "3.1"}, "a description of an interface (OpenAPI)"),
    ({"swagger": "2.0"}, "a description of an interface (OpenAPI)"),
    ({"type": "FeatureCollection", "features": []}, "a map (GeoJSON)"),
    ({"inputs": {}, "outputs": {"a": {"inputs": {"b": {"bytesInOutput": 1}}}}}, "(esbuild)"),
    ({"assets": [], "chunks": [], "modules": []}, "(webpack)"),
    ({"event_id": "1", "platform": "python"}, "an event of Sentry"),
    ({"__REALTIME_TIMESTAMP": "1"}, "a journal of systemd"),
    ({"level": "info"}, "a log, a line of JSON each"),
    ({"severity": "info"}, "a log, a line of JSON each"),
    ({"levelname": "INFO"}, "a log, a line of JSON each"),
    ({"log": "x", "stream": "stdout", "time": "now"}, "a log of a container"),
    ({"spans": 1}, "JSON, but not of a trace"),
]


@pytest.mark.parametrize(("content", "called"), CALLED)
def test_a_foreign_file_is_called_what_it_is(content: Any, called: str) -> None:
    with pytest.raises(UnrecognisedTrace) as caught:
        read_trace(json.dumps(content).encode(), name="mine.json")
    assert called.rstrip(":") in str(caught.value)
    if called.endswith(":"):
        assert f"{called[:-1]} (" not in str(caught.value)
