"""Generalized linear models: against statsmodels, against the published table, and where they must refuse or halve."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast.perception as rp
from rigcast.errors import NumericalError

PRINTED = 1e-5  # where the other program or its printed digits end
PRINTED_2 = 1e-7  # where the other program or its printed digits end
PRINTED_3 = 1e-6  # where the other program or its printed digits end
ANOTHER_WAY = 1e-9  # float64 through another factorization
ANOTHER_WAY_2 = 1e-8  # float64 through another factorization
EXACT = 1e-12  # both in float64
SIMULATED = 0.01  # chance of simulated studies, or printed digits
ANOTHER_WAY_3 = 1e-10  # float64 through another factorization

SHAPES = ["Neutral", "Smile", "Frown", "Blink"]


@pytest.fixture(scope="module")
def ratings() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    shape = random.integers(0, 4, 2000)
    rms = np.where(shape == 0, 0.0, random.uniform(0.2, 1.0, 2000))
    mean = np.array([1.4, 1.1, 0.8, 3.3])[shape] + np.array([0.0, 4.0, 1.5, 3.0])[shape] * rms
    people = random.integers(0, 25, 2000)
    return {
        "rating": random.poisson(mean).astype(float),
        "rms": rms,
        "shape": np.array(SHAPES)[shape],
        "person": people,
    }


def peer(table: dict[str, np.ndarray], fit: rp.Fit, family: str, link: str):
    """Statsmodels from our answer, on our columns."""
    api = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    warnings.simplefilter("ignore")  # that these links do not respect the family: the point of step halving
    links = api.families.links
    made = {"identity": links.Identity, "log": links.Log, "sqrt": links.Sqrt, "logit": links.Logit}[link]()
    kinds = {"poisson": api.families.Poisson, "gaussian": api.families.Gaussian, "binomial": api.families.Binomial}
    kind = kinds[family](link=made)
    columns = {name: np.ones(2000) for name in ["(Intercept)"]} | {"rms": table["rms"]}
    for shape in SHAPES:
        columns[f"shape[{shape}]"] = (table["shape"] == shape).astype(float)
        columns[f"rms:shape[{shape}]"] = columns[f"shape[{shape}]"] * table["rms"]
    matrix = np.stack([columns[name] for name in fit.names], axis=1)
    return api.GLM(table["rating"], matrix, family=kind)


@pytest.mark.parametrize(
    "kind", ["poisson identity", "poisson log", "poisson sqrt", "gaussian identity", "binomial logit"]
)
def test_equal_to_statsmodels(ratings, kind):
    family, link = kind.split()
    if family == "binomial":
        ratings = ratings | {"rating": (ratings["rating"] > 2.0).astype(float)}
    fit = rp.glm(ratings, "rating", "rms * shape", family=family, link=link, reference={"shape": "Neutral"})
    model = peer(ratings, fit, family, link)
    other = model.fit(start_params=fit.coefficients, tol=1e-14, maxiter=20)
    np.testing.assert_allclose(
        fit.coefficients,
        other.params,
        rtol=PRINTED,
        atol=PRINTED_2,
    )
    np.testing.assert_allclose(fit.errors, other.bse, rtol=PRINTED_3)
    np.testing.assert_allclose(fit.deviance, other.deviance, rtol=ANOTHER_WAY)
    np.testing.assert_allclose(fit.log_likelihood, other.llf, rtol=ANOTHER_WAY)
    assert fit.df_residual == other.df_resid
    np.testing.assert_allclose(
        fit.dispersion,
        other.pearson_chi2 / other.df_resid,
        rtol=ANOTHER_WAY_2,
    )


def test_errors_by_person_are_those_of_scores_summed_by_person(ratings):
    """The sandwich of Liang and Zeger: statsmodels' scores and expected information, summed here."""
    fit = rp.glm(ratings, "rating", "rms * shape", reference={"shape": "Neutral"}, clusters="person")
    model = peer(ratings, fit, "poisson", "identity")
    scores, information = model.score_obs(fit.coefficients), -model.hessian(fit.coefficients, observed=False)
    sums = np.array([scores[ratings["person"] == person].sum(axis=0) for person in range(25)])
    inverse = np.linalg.inv(information)
    np.testing.assert_allclose(
        fit.covariance,
        25 / 24 * inverse @ (sums.T @ sums) @ inverse,
        rtol=PRINTED_3,
        atol=EXACT,
    )


def test_the_published_table_and_all_of_its_errors():
    """The design of the study gives the 22 printed standard errors to 1 % (Carrigan 2020, table 5.11)."""
    table = rp.published_design()
    fit = rp.glm(table, "rating", "rms * unit", weights=table["trials"], reference={"unit": "Neutral"})
    assert fit.dropped == ["rms:unit[Smile_Lips_Closed]"]
    assert fit["(Intercept)"] == pytest.approx(
        1.4216667,
        abs=PRINTED_3,
    )
    found, printed = [], []
    for unit in rp.UNITS.values():
        smile = unit.name == "Smile_Lips_Closed"
        slope = "rms" if smile else f"rms:unit[{unit.name}]"
        assert fit[f"unit[{unit.name}]"] + fit["(Intercept)"] == pytest.approx(
            unit.intercept,
            abs=PRINTED_3,
        )
        assert fit[slope] + (0 if smile else fit["rms"]) == pytest.approx(
            unit.slope,
            abs=PRINTED_3,
        )
        found += [fit.errors[fit.names.index(name)] for name in (f"unit[{unit.name}]", slope)]
        printed += [unit.intercept_error, unit.slope_error]
    np.testing.assert_allclose(found, printed, rtol=SIMULATED)


def test_labels_of_the_brows_exchanged_are_another_table():
    """Mutant: with the two metrics exchanged the printed errors do not come out."""
    table = rp.published_design()
    swap = {"Frown": "Eyebrows_Up", "Eyebrows_Up": "Frown"}
    table["unit"] = np.array([swap.get(name, name) for name in table["unit"]])
    fit = rp.glm(table, "rating", "rms * unit", weights=table["trials"], reference={"unit": "Neutral"})
    error = fit.errors[fit.names.index("rms:unit[Frown]")]
    assert abs(error / rp.UNITS["Frown"].slope_error - 1) > 0.5


def test_no_column_is_dropped_where_neutral_pictures_differ(ratings):
    noisy = ratings | {"rms": ratings["rms"] + 1e-3 * np.random.default_rng(0).random(2000)}
    assert rp.glm(noisy, "rating", "rms * shape", reference={"shape": "Neutral"}).dropped == []
    named = rp.glm(ratings, "rating", "rms * shape", reference={"shape": "Neutral"})
    assert named.dropped == ["rms:shape[Smile]"]
    assert any("rms:shape[Smile]" in line for line in named.warnings)


def test_group_means_equal_fitted_means(ratings):
    fit = rp.glm(ratings, "rating", "rms * shape", reference={"shape": "Neutral"})
    for shape in SHAPES:
        rows = ratings["shape"] == shape
        assert fit.mu[rows].mean() == pytest.approx(ratings["rating"][rows].mean(), rel=PRINTED_3) or shape != "Neutral"
    neutral = ratings["shape"] == "Neutral"
    assert fit.mu[neutral].mean() == pytest.approx(
        ratings["rating"][neutral].mean(),
        rel=ANOTHER_WAY_3,
    )


def test_steps_are_halved_where_a_mean_would_fall_below_zero(monkeypatch):
    """A unit near 0 with one outlier: the whole step leaves the Poisson family."""
    x = np.linspace(0.0, 1.0, 40)
    y = np.where(x < 0.9, 0.0, 8.0)
    y[3] = 1.0
    fit = rp.glm({"y": y, "x": x}, "y", "x")
    assert (fit.mu > 0).all()
    monkeypatch.setattr("rigcast.perception._glm.HALVINGS", 1)  # mutant: whole steps or none
    try:
        whole = rp.glm({"y": y, "x": x}, "y", "x").deviance
    except NumericalError:
        whole = np.inf
    assert whole > fit.deviance * 1.01


def test_quasi_scales_errors_by_the_dispersion(ratings):
    plain = rp.glm(ratings, "rating", "rms + shape")
    quasi = rp.glm(ratings, "rating", "rms + shape", quasi=True)
    np.testing.assert_allclose(quasi.errors, plain.errors * np.sqrt(plain.dispersion))


def test_ratings_that_vary_less_than_counts_are_told():
    random = np.random.default_rng(1)
    y = np.clip(np.rint(4 + 0.9 * random.standard_normal(500)), 1, 9)
    fit = rp.glm({"y": y, "x": random.random(500)}, "y", "x")
    assert fit.dispersion < 0.5
    assert any("vary less than counts" in line for line in fit.warnings)


def test_models_are_compared_by_deviance(ratings):
    small = rp.glm(ratings, "rating", "rms + shape", reference={"shape": "Neutral"})
    large = rp.glm(ratings, "rating", "rms * shape", reference={"shape": "Neutral"})
    statistic, df, p = rp.compare(small, large)
    assert df == 2
    assert statistic == pytest.approx(small.deviance - large.deviance)
    assert p < 1e-6
    with pytest.raises(ValueError, match="compare: larger"):
        rp.compare(large, small)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": "none"}, "glm: value is 'none'; it must be one of rating, rms, shape, person"),
        ({"formula": "rms * sahpe"}, "with 'sahpe'"),
        ({"formula": 3}, "glm: formula is a int"),
        ({"family": "normal"}, "it must be one of poisson, gaussian"),
        ({"link": "logit"}, "it must be one of identity, log, sqrt"),
        ({"reference": {"shape": "Grin"}}, "it must be one of Blink, Frown, Neutral, Smile"),
        ({"reference": {"rms": "1"}}, "glm: reference is 'rms'; it must be a factor"),
        ({"reference": {"other": "1"}}, "glm: reference is 'other'"),
        ({"weights": [1.0]}, "glm: weights is "),
        ({"clusters": "who"}, "glm: clusters is 'who'"),
        ({"value": "shape"}, "it must be numbers"),
        ({"clusters": "nobody"}, "of one cluster; it must be of two clusters at least"),
    ],
)
def test_wrong_arguments_are_named(ratings, change, words):
    arguments = {"value": "rating", "formula": "rms * shape"} | change
    with pytest.raises(ValueError, match="glm: ") as error:
        rp.glm(ratings | {"nobody": ["x"] * 2000}, arguments.pop("value"), arguments.pop("formula"), **arguments)
    assert words in str(error.value)


def test_values_that_no_count_has_are_refused(ratings):
    with pytest.raises(ValueError, match=r"table\['rating'\] is -1 somewhere"):
        rp.glm(ratings | {"rating": np.full(2000, -1.0)}, "rating", "rms")
    with pytest.raises(ValueError, match="nan in row 7"):
        rp.glm(ratings | {"rating": np.where(np.arange(2000) == 7, np.nan, 1.0)}, "rating", "rms")


def test_a_level_whose_answers_never_vary_has_an_error_and_no_warning():
    """Rounding may leave the variance of such a coefficient below zero."""
    rows = [
        (p, u, a, min(9, 1 + p % 3 + int(size * a)))
        for p in range(1, 9)
        for u, size in (("Neutral", 0), ("Smile", 3 + 0.3 * p), ("Frown", 2))
        for a in (0.4, 1.0)
    ]
    table = dict(zip(("person", "unit", "level", "rating"), map(np.array, zip(*rows, strict=True)), strict=True))
    assert np.isfinite(rp.glm(table, "rating", "level * unit", clusters="person").errors).all()


def test_a_choice_by_a_measure_is_a_logistic_regression():
    """Planted: the log odds of a choice are 3 times the difference of a measure."""
    random = np.random.default_rng(8)
    apart = random.uniform(-1.0, 1.0, 4000)
    table = {"first": (random.random(4000) < 1.0 / (1.0 + np.exp(-3.0 * apart))).astype(float), "apart": apart}
    fit = rp.glm(table, "first", "apart", family="binomial")
    assert fit.link == "logit"
    assert abs(fit["apart"] - 3.0) < 3.0 * fit.errors[1]
    assert abs(fit["(Intercept)"]) < 3.0 * fit.errors[0]
    assert fit.warnings == ["answers of one person count as independent; clusters=COLUMN allows that they are not"]


def test_choices_that_a_measure_separates_are_said():
    apart = np.linspace(-1.0, 1.0, 40)
    fit = rp.glm({"first": (apart > 0).astype(float), "apart": apart}, "first", "apart", family="binomial")
    assert "no finite value" in fit.warnings[-1]


def test_shares_with_weights_are_the_choices_themselves():
    choices = {"first": np.array([1, 1, 0, 1, 0, 0, 0, 1.0]), "apart": np.repeat([0.0, 1.0], 4)}
    single = rp.glm(choices, "first", "apart", family="binomial")
    shares = {"first": np.array([0.75, 0.25, 0.5]), "apart": np.array([0.0, 1.0, 2.0])}
    both = rp.glm(shares, "first", "apart", family="binomial", weights=[4, 4, 4])
    again = {"first": np.array([1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0.0]), "apart": np.repeat([0.0, 1.0, 2.0], 4)}
    assert single["apart"] == pytest.approx(-2.0 * np.log(3.0))
    long = rp.glm(again, "first", "apart", family="binomial")
    np.testing.assert_allclose(both.coefficients, long.coefficients, rtol=ANOTHER_WAY_2)
    np.testing.assert_allclose(both.errors, long.errors, rtol=ANOTHER_WAY_2)


def test_what_is_no_choice_is_refused():
    with pytest.raises(ValueError, match=r"1 to 3; it must be from 0 to 1"):
        rp.glm({"first": [1, 2, 3], "apart": [0, 1, 2]}, "first", "apart", family="binomial")
