"""The graph as a server for graphs runs it: what is not the model's it asks of the Flamechat server of its run."""
