"""memary: memory for agents that a person can see, question and correct."""
