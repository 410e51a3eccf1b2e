"""What Anna has remembered, and the document of their account: what others must not reach."""

from server.agent.memory.memory_texts import fact_memory
from tests.server.running_server import ANNA, RunningServer

OF_MEMORY = (
    "GET /api/v1/memory/core",
    "PUT /api/v1/memory/core",
    "GET /api/v1/memory/core/changes",
    "GET /api/v1/memory/export",
    "POST /api/v1/memory/decisions",
    "GET /api/v1/memory/onboarding",
    "PUT /api/v1/memory/onboarding",
    "DELETE /api/v1/memory/onboarding",
    "POST /api/v1/memory/onboarding/facts",
    "POST /api/v1/memory/onboarding/confirmation",
    "GET /api/v1/memory",
    "DELETE /api/v1/memory",
    "GET /api/v1/knowledge",
    "POST /api/v1/knowledge",
    "GET /api/v1/knowledge/search",
)
"""Routes that name nothing in their path."""

NAMING_A_MEMORY = (
    "PATCH /api/v1/memory/{memory_id}",
    "DELETE /api/v1/memory/{memory_id}",
    "DELETE /api/v1/knowledge/{document_id}",
    "GET /api/v1/knowledge/passages/{handle}",
)
"""Routes that name a memory, a document or a passage of one."""


async def memories_of_annas(server: RunningServer) -> tuple[str, str, str]:
    """The ids of a memory and of a document, and the handle of its passage."""
    services = server.parts.services
    await services.memory.search._store.add(ANNA, [fact_memory("requests stay under 300 ms")])
    memory = (await services.memory.search.listed(ANNA))[0].memory_id
    documents = services.knowledge.knowledge
    document = await documents.add(ANNA, "runbook.md", b"Drain the queue first.")
    return memory, document.document_id, (await documents.search(ANNA, "queue", limit=1))[0].handle
