"""The explorer page of a search, in a file or in a notebook."""

from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted


class ExplorerMixin:
    """Shows a fitted search as a page.

    ``softcost.report`` knows how; it is asked for through the top-level package, which
    imports lazily, so that searches do not depend on it otherwise.
    """

    def to_html(self, path: str | Path, **details: Any) -> Path:
        """Write the explorer: one HTML page to choose on the trade-off.

        Parameters
        ----------
        path : str or path
            Where to.
        **details
            Attributes of `softcost.report.ExplorerData`, for instance ``title``.

        Returns
        -------
        Path
        """
        import softcost

        report = softcost.report
        check_is_fitted(self, "tradeoff_")
        data = report.ExplorerData.from_search(self, **details)
        return report.write_explorer(path, data)

    def _repr_html_inner(self) -> str:
        """The explorer in a notebook, once there is something to explore."""
        if not hasattr(self, "tradeoff_"):
            return super()._repr_html_inner()  # type: ignore[misc]
        import softcost

        report = softcost.report
        return report.notebook_html(report.ExplorerData.from_search(self))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
