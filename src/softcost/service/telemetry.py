"""Metrics for Prometheus, and logs as lines of JSON."""

import json
import logging
import logging.handlers
import os
import sys
from collections import Counter as Tally
from datetime import UTC, datetime
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    Summary,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # where workers keep their metrics
_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
log: logging.Logger = logging.getLogger("softcost.service")


class Metrics:
    """What the service counts; with several workers, `text` adds them up."""

    media_type: str = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.seconds: Histogram = Histogram(
            "softcost_request_seconds",
            "Time from a complete request to its response.",
            ["path", "status"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._decisions = Counter(
            "softcost_decisions", "Answers given.", ["answer"], registry=registry
        )
        self._cost = Summary(
            "softcost_expected_cost", "Expected cost of answers.", registry=registry
        )
        self._drift = Counter(
            "softcost_drift_flags",
            "Cells unlike the training data.",
            ["column"],
            registry=registry,
        )
        self.loads: Counter = Counter(
            "softcost_model_loads", "Models loaded.", ["result"], registry=registry
        )

    def count(self, answers: list[dict[str, Any]]) -> None:
        """Count the answers to a request."""
        for name, times in Tally(each["prediction"] for each in answers).items():
            self._decisions.labels(name).inc(times)
        for name, times in Tally(
            column for each in answers for column in each["unlike_training"]
        ).items():
            self._drift.labels(name).inc(times)
        for each in answers:
            if each.get("expected_cost") is not None:
                self._cost.observe(each["expected_cost"])

    def text(self) -> bytes:
        """All metrics in the format of Prometheus."""
        registry = self._registry
        if SHARED in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)
        return generate_latest(registry)


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "process": record.process,
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def write_log(path: str | None) -> None:
    """Send events to a file that may be rotated, or to standard output for "-"."""
    if path is None:
        return
    handler: logging.Handler = logging.StreamHandler(sys.stdout)
    if path != "-":
        handler = logging.handlers.WatchedFileHandler(path, encoding="utf-8")
    handler.setFormatter(_JsonLines())
    logging.raiseExceptions = False  # a full disk must not fail requests
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False


def event(name: str, **fields: Any) -> None:
    """Log something that happened."""
    log.info(name, extra={"fields": fields})
