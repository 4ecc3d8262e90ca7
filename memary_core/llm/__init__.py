"""Language models, one small module for each provider."""
