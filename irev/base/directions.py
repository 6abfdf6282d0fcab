"""Which value is the better one, for numbers that irev does not compute: measures of other evaluators, and costs.

A few names are well known. For any name the user may say it: ``latency:lower``, ``qps:higher``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Direction = Literal["higher", "lower"]

_SCORES = """
faithfulness groundedness response_groundedness nv_response_groundedness answer_relevancy answer_relevance
response_relevancy response_relevance context_precision llm_context_precision_with_reference
llm_context_precision_without_reference context_recall context_entity_recall context_relevancy context_relevance
nv_context_relevance contextual_precision contextual_recall contextual_relevancy context_utilization
answer_correctness factual_correctness correctness answer_similarity semantic_similarity answer_accuracy nv_accuracy
exact_match string_present string_similarity non_llm_string_similarity bleu rouge rouge_l meteor bert_score
summarization coherence fluency helpfulness geval g_eval task_completion tool_correctness
agent_goal_accuracy topic_adherence aspect_critic
qps rps tps throughput queries_per_second requests_per_second tokens_per_second speed accuracy
"""
_COSTS = """
hallucination toxicity bias noise_sensitivity error errors error_rate failures loss regret wer cer
latency latency_ms latency_s latency_seconds response_time duration duration_ms elapsed elapsed_ms time time_ms time_s
seconds milliseconds ms runtime wall_time cpu_time cpu_seconds ttft
cost costs price usd dollars tokens input_tokens output_tokens prompt_tokens completion_tokens total_tokens
memory memory_mb memory_bytes ram rss bytes disk size index_size mb gb energy joules watts co2 flops requests calls
"""

_KNOWN: dict[str, Direction] = {
    **dict.fromkeys(_SCORES.split(), "higher"),
    **dict.fromkeys(_COSTS.split(), "lower"),
}


def usual(name: str) -> Direction | None:
    """Return the better direction of a well-known name, in any case and with any signs between its words."""
    key = re.sub(r"[^a-z0-9]+", "_", re.sub(r"\([^()]*\)", "", name).strip().lower()).strip("_")
    shorter = re.sub(r"_(metric|score)$|^(mean|avg|average)_|_(mean|avg|average|p[0-9]+)$", "", key)
    return _KNOWN.get(key) or _KNOWN.get(shorter)


def directed(text: str) -> tuple[str, Direction | None]:
    """Split ``latency:lower`` into the name and the direction; None where the text has no direction."""
    name, _, said = text.rpartition(":")
    if not name or said not in ("higher", "lower"):
        return text, None
    return name, "lower" if said == "lower" else "higher"


def directions_in(texts: Iterable[str]) -> dict[str, Direction]:
    """Return the directions that names of measures and conditions have: ``latency:lower=5``, ``run:A/cost:lower``."""
    subjects = (re.split("[<>=]", text)[0].rpartition("/")[2].strip() for text in texts)
    return {name: better for name, better in map(directed, subjects) if better is not None}
