"""Fusion: several runs made one."""
