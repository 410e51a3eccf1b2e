"""Models behind the port `agent.model`: `openai` any OpenAI-compatible endpoint, `analyst` the built-in one that needs
no network, `scripted` the twin for tests, `choice` which of them answers.
"""
