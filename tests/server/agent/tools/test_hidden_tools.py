"""What a plan leaves out is gone from the tools, from the prompt, and cannot be called."""

from server.protocol.wire_values import ViewerState
from tests.openai_endpoint import Reply, openai_endpoint
from tests.server.agent.turns import endpoint_models, stage

ANSWER = Reply(text="It is parse_json.")
ASKS_SQL = Reply(calls=(("query_trace", '{"sql": "SELECT 1"}'),))


async def test_a_hidden_tool_is_not_offered_not_named_and_not_called() -> None:
    async with openai_endpoint(ASKS_SQL, ANSWER, ANSWER) as endpoint:
        hidden = stage(endpoint_models(endpoint.base_url), hidden_tools=frozenset({"query_trace"}))
        await hidden.agent.answer(hidden.turn, hidden.sink)
        shown = stage(endpoint_models(endpoint.base_url), viewer=ViewerState())
        await shown.agent.answer(shown.turn, shown.sink)

    first, _, other = endpoint.requests
    assert "query_trace" not in [tool["function"]["name"] for tool in first["tools"]]
    assert "query_trace" not in first["messages"][0]["content"]
    error = hidden.sink.of("tool_error")[0]
    assert "there is no tool" in str(error)
    assert "query_trace" in [tool["function"]["name"] for tool in other["tools"]]
    assert "- query_trace:" in other["messages"][0]["content"]
