"""Synthetic actors: how fast they are filmed, and what simple methods make of them."""
