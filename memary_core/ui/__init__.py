"""Streamlit and pyvis live here, and nowhere else in the package."""
