"""The command line: what is done to a memory from outside a conversation."""
