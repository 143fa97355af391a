"""What can be wrong with a model, or with a file of one."""


class ModelFileError(ValueError):
    """A file that is not a softcost model, or is damaged, or cannot be used here.

    See Also
    --------
    load : Read a model that `save` wrote.
    describe : Read the manifest of a model file, without the model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import softcost
    >>> from softcost.models import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "notes.softcost"
    ...     _ = path.write_text("no model at all")
    ...     try:
    ...         softcost.load(path)
    ...     except ModelFileError as error:
    ...         print("refused:", str(error).startswith(str(path)))
    refused: True
    """


class Refused(Exception):
    """Something in a file that the schema does not allow; says where and what."""

    def inside(self, place: str) -> "Refused":
        """The same, one level up."""
        text = str(self)
        nested = text.partition(":")[0].replace(".", "").replace("_", "").isalnum()
        return Refused(
            f"{place}.{text}" if nested and ":" in text else f"{place}: {text}"
        )


class NotCovered(Exception):
    """Something in a model that the format has no schema for."""
