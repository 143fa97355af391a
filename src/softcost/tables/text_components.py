"""Free text as a few numbers: latent semantic analysis of its words."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from softcost._sklearn_types import BaseEstimator, TransformerMixin

_MOST_TERMS = 4000
_LONGEST = 10_000  # characters of a text that are read


class TextComponents(TransformerMixin, BaseEstimator):
    """Latent semantic components of texts [1]_.

    Weights words and pairs of words by tf-idf and projects them on the first singular
    vectors of the training texts. Labels are not used.

    Parameters
    ----------
    n_components : int, default=20
        Number of components; fewer if the texts have fewer terms.

    Attributes
    ----------
    terms_ : ndarray of str, shape (n_terms,)
        Words and pairs of words.
    idf_ : ndarray of shape (n_terms,)
        Inverse document frequencies.
    components_ : ndarray of shape (n_components, n_terms)

    See Also
    --------
    softcost.tables.TableEncoder : Uses it for columns of free text.

    References
    ----------
    .. [1] S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman.
       "Indexing by latent semantic analysis". JASIS 41 (1990), 391-407.

    Examples
    --------
    >>> from softcost.tables import TextComponents
    >>> texts = ["late again, no reply", "no reply at all", "all fine", "fine, thanks"]
    >>> TextComponents(n_components=2).fit_transform(texts).shape
    (4, 2)
    """

    terms_: NDArray[Any]
    idf_: NDArray[np.float64]
    components_: NDArray[np.float64]

    def __init__(self, n_components: int = 20):
        self.n_components = n_components

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn terms and components.

        Parameters
        ----------
        X : sequence of str of length n
            Texts; anything else is an empty text.
        y : None
            Not used, present for API consistency.

        Returns
        -------
        self
        """
        texts = _texts(X)
        for least in (2, 1):
            vectorizer = _vectorizer(min_df=least, max_features=_MOST_TERMS)
            try:
                weights = vectorizer.fit_transform(texts)
                break
            except ValueError:  # no term in as many texts
                weights = None
        if weights is None:
            self.terms_ = np.empty(0, dtype=object)
            self.idf_, self.components_ = np.empty(0), np.empty((1, 0))
        else:
            self.terms_ = vectorizer.get_feature_names_out().astype(object)
            self.idf_ = vectorizer.idf_
            self.components_ = _components(weights, self.n_components)
        self.prepare()
        return self

    def prepare(self) -> None:
        """Make the vectorizer, which is all that a loaded one lacks."""
        self._vectorizer = None
        if len(self.terms_):
            codes = {term: code for code, term in enumerate(self.terms_.tolist())}
            self._vectorizer = _vectorizer(vocabulary=codes)
            self._vectorizer.idf_ = self.idf_

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Components of texts.

        Parameters
        ----------
        X : sequence of str of length n
            Texts; anything else is an empty text, whose components are zero.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        check_is_fitted(self, "components_")
        if self._vectorizer is None or len(X) == 0:
            return np.zeros((len(X), len(self.components_)))
        weights = self._vectorizer.transform(_texts(X))
        return np.asarray(weights @ self.components_.T)


def _texts(cells: Any) -> list[str]:
    return [cell[:_LONGEST] if isinstance(cell, str) else "" for cell in cells]


def _vectorizer(**options: Any) -> TfidfVectorizer:
    return TfidfVectorizer(
        token_pattern=r"(?u)\b\w+\b", ngram_range=(1, 2), sublinear_tf=True, **options
    )


def _components(weights: Any, n_components: int) -> np.ndarray:
    n_texts, n_terms = weights.shape
    if n_terms <= n_components:
        return np.eye(n_terms)
    svd = TruncatedSVD(min(n_components, n_texts), random_state=0)
    return svd.fit(weights).components_
