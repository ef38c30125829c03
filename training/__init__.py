"""Renderings of dice and the training of the reader's two networks; no part of the product."""
