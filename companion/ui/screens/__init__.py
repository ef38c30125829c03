"""The screens layer."""
