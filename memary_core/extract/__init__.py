"""Text to names and triplets."""
