"""The built-in analyst: a chat model by rule, no network. It follows the same graph and calls the same tools as any
model.

`question` reads what is asked, `evidence` what the tools returned, `plan` decides which tools come next, `report`
writes the answer from their results, `analyst_chat` is the LangChain model around them.
"""
