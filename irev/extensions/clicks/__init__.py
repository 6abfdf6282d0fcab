"""What users see and click: ``irev online``, and the logs that it reads."""

from irev.base.registry import Extension

EXTENSION = Extension(
    __name__,
    "evaluate clicks: interleaving, A/B tests, click models, off-policy estimates",
    commands={"online": ("interleave", "preference", "ab", "click-models", "off-policy")},
    functions={"clicks": "functions", "interleave": "functions", "off_policy": "functions"},
)
