"""Answering from facts alone: no model is asked, and every sentence of an answer is a fact in its own words."""
