"""The contract of executors over a real LangGraph server, which runs the deployed graph."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import pytest

from tests.contracts import test_executor_contract as contract
from tests.contracts import test_executor_failures_contract as failures
from tests.contracts.executors import ExecutorHouse
from tests.contracts.langgraph_house import on_langgraph
from tests.contracts.test_executor_contract import opened
from tests.openai_endpoint import Endpoint
from tests.plugins.graph_server import GraphServer

__all__ = ["opened"]

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("langgraph")]


@pytest.fixture
def opening(graph_server: GraphServer) -> Callable[[Endpoint], AbstractAsyncContextManager[ExecutorHouse]]:
    return partial(on_langgraph, graph_server=graph_server.url, model_port=graph_server.model_port)


globals().update(
    {name: test for module in (contract, failures) for name, test in vars(module).items() if name.startswith("test_")}
)
