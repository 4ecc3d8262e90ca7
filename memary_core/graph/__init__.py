"""The knowledge graph: one contract, one implementation in Cypher, two databases."""
