"""User models: C/W/L measures, of which each says how likely a reader goes on from a rank, and what results cost."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "measure by user models (C/W/L): expected utility, cost and residual",
    measures=("user_models",),
)
