"""Models behind the port `agent.model_call.chat_model`: `openai` any OpenAI-compatible endpoint, `choice` whether it
or the built-in analyst answers.
"""
