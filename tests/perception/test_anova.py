"""Analysis of variance: against statsmodels and slow loops, error rates of null studies, missing cells."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast.perception as rp
from rigcast.perception._anova import contrasts, scores, terms_of

PRINTED = 5e-4  # where the other program or its printed digits end
ANOTHER_WAY = 1e-10  # float64 through another factorization
ANOTHER_WAY_2 = 1e-8  # float64 through another factorization
EXACT = 1e-12  # both in float64
SIMULATED = 0.005  # chance of simulated studies, or printed digits
SIMULATED_2 = 0.1  # chance of simulated studies, or printed digits
PRINTED_2 = 1e-6  # where the other program or its printed digits end

THESIS = {"sex": 2, "race": 3, "shape": 12, "activation": 5}  # Carrigan 2020, section 5.1.2
DEGREES = {  # table 5.2, without correction
    "sex": (1, 19), "race": (2, 38), "shape": (11, 209), "activation": (4, 76), "sex:race": (2, 38),
    "sex:shape": (11, 209), "race:shape": (22, 418), "sex:activation": (4, 76), "race:activation": (8, 152),
    "shape:activation": (44, 836), "sex:race:shape": (22, 418), "sex:race:activation": (8, 152),
    "sex:shape:activation": (44, 836), "race:shape:activation": (88, 1672), "sex:race:shape:activation": (88, 1672),
}  # fmt: skip


def table_of(values: np.ndarray, names) -> dict[str, np.ndarray]:
    grid = np.meshgrid(*map(range, values.shape), indexing="ij")
    return dict(zip(["person", *names], [axis.ravel() for axis in grid], strict=True)) | {"rating": values.ravel()}


def test_degrees_of_freedom_are_those_of_the_published_study():
    values = np.random.default_rng(0).normal(size=(20, *THESIS.values()))
    result = rp.anova(table_of(values, THESIS), "rating", "person", within=list(THESIS), correction="none")
    assert {row.term: (row.df, row.df_error) for row in result.rows} == DEGREES
    assert result["activation:shape"].cap == pytest.approx(19 / 44)
    assert result["sex:race:shape:activation"].cap == pytest.approx(
        0.216,
        abs=PRINTED,
    )


def test_equal_to_statsmodels_on_a_small_study():
    pandas, anova = (
        pytest.importorskip("pandas", reason="pandas is not installed"),
        pytest.importorskip("statsmodels.stats.anova", reason="statsmodels is not installed"),
    )
    values = np.random.default_rng(1).normal(size=(8, 2, 3, 5)) + np.arange(8.0)[:, None, None, None]
    table = table_of(values, ["sex", "race", "activation"])
    ours = rp.anova(table, "rating", "person", within=["sex", "race", "activation"], correction="none")
    theirs = anova.AnovaRM(pandas.DataFrame(table), "rating", "person", within=["sex", "race", "activation"]).fit()
    for term, row in theirs.anova_table.iterrows():
        found = ours[term]
        assert found.f == pytest.approx(row["F Value"], rel=ANOTHER_WAY)
        assert (found.df, found.df_error) == (row["Num DF"], row["Den DF"])
        assert found.p == pytest.approx(row["Pr > F"], rel=ANOTHER_WAY_2)


def test_equal_to_sums_over_cells():
    """Sums of squares by means of means, written out for two factors."""
    y = np.random.default_rng(2).normal(size=(6, 3, 4)) + np.arange(4.0)
    n, a, b = y.shape
    grand, by_a, by_b, by_ab = y.mean(), y.mean((0, 2)), y.mean((0, 1)), y.mean(0)
    person, person_a = y.mean((1, 2)), y.mean(2)
    effect = n * b * ((by_a - grand) ** 2).sum()
    error = b * ((person_a - person[:, None] - by_a + grand) ** 2).sum()
    result = rp.anova(table_of(y, ["a", "b"]), "rating", "person", within=["a", "b"])["a"]
    assert result.f == pytest.approx(effect / (a - 1) / (error / ((a - 1) * (n - 1))), rel=EXACT)
    assert result.eta_squared == pytest.approx(effect / (effect + error), rel=EXACT)
    both = by_ab - by_a[:, None] - by_b + grand
    z = scores(y, (0, 1))
    assert n * (z.mean(0) ** 2).sum() == pytest.approx(n * (both**2).sum(), rel=EXACT)


def test_epsilon_equals_its_formula_by_covariances():
    y = np.random.default_rng(3).normal(size=(9, 5)) @ np.diag([1, 1, 1, 3, 6.0])
    c = contrasts(5)
    s = np.cov(y @ c, rowvar=False)
    epsilon = np.trace(s) ** 2 / (4 * np.trace(s @ s))
    row = rp.anova(table_of(y, ["a"]), "rating", "person", within=["a"], correction="greenhouse-geisser")["a"]
    assert row.greenhouse_geisser == pytest.approx(epsilon, rel=EXACT)
    assert row.huynh_feldt == pytest.approx(
        min(1, (9 * 4 * epsilon - 2) / (4 * (8 - 4 * epsilon))),
        rel=EXACT,
    )
    assert row.epsilon == row.greenhouse_geisser


def test_a_sample_covariance_of_known_epsilon_gives_the_published_degrees():
    """Epsilon .2664 of 11 degrees and 20 people: 2.93, 55.7 (the row BS of table 5.2)."""
    random = np.random.default_rng(4)
    wanted, low, high = 0.2664, 0.0, 1.0
    for _ in range(200):  # a geometric spectrum of that epsilon
        ratio = 0.5 * (low + high)
        spectrum = ratio ** np.arange(11)
        low, high = (ratio, high) if spectrum.sum() ** 2 / (11 * (spectrum**2).sum()) < wanted else (low, ratio)
    z = random.normal(size=(20, 11))
    z -= z.mean(0)
    z = z @ np.linalg.inv(np.linalg.cholesky(z.T @ z).T) * np.sqrt(spectrum)
    y = z @ contrasts(12).T + random.normal(size=(20, 1))
    row = rp.anova(table_of(y, ["shape"]), "rating", "person", within=["shape"], correction="greenhouse-geisser")[
        "shape"
    ]
    assert row.epsilon * row.df == pytest.approx(2.93, abs=SIMULATED)
    assert row.epsilon * row.df_error == pytest.approx(55.7, abs=SIMULATED_2)


def null_study(random: np.random.Generator, spherical: bool, slopes: float = 0.5) -> np.ndarray:
    """20 people, 12 shapes, 5 activations, no effect; people differ in shapes and slopes if not spherical."""
    y = random.normal(size=(20, 12, 5)) + random.normal(size=(20, 1, 1))
    if not spherical:
        spread = np.array([3, 2, 1, 1, 0.5, 0.5, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1])
        y += (spread * random.normal(size=(20, 12)))[:, :, None]
        y += slopes * random.normal(size=(20, 1, 1)) * np.arange(5.0)
    return y


def rejections(spherical: bool, correction: str, studies: int = 800) -> dict[str, float]:
    from scipy import special

    from rigcast.perception._anova import epsilon_used

    random, hits = np.random.default_rng(11), dict.fromkeys(["shape", "activation", "both"], 0)
    for _ in range(studies):
        y = null_study(random, spherical)
        for name, term in zip(hits, [(0,), (1,), (0, 1)], strict=True):
            z = scores(y, term)
            n, df = z.shape
            mean = z.mean(0)
            f = n * float(mean @ mean) * (n - 1) / float(((z - mean) ** 2).sum())
            epsilon = epsilon_used(correction, z - mean)
            hits[name] += special.fdtrc(epsilon * df, epsilon * df * (n - 1), f) < 0.05
    return {name: count / studies for name, count in hits.items()}


def test_null_studies_are_rejected_as_often_as_they_should_be():
    plain = rejections(True, "none")
    assert all(0.035 <= share <= 0.065 for share in plain.values()), plain
    apart = rejections(False, "none")
    assert apart["shape"] > 0.1  # the reason for corrections
    strict = rejections(False, "greenhouse-geisser")
    assert 0.03 <= strict["shape"] <= 0.065
    assert 0.03 <= strict["activation"] <= 0.065
    assert strict["both"] < 0.02  # blind: 44 degrees and 20 people
    usual = rejections(False, "auto")
    assert all(0.03 <= share <= 0.065 for share in usual.values()), usual


def test_the_epsilon_of_another_term_is_noticed():
    """Mutant: shape corrected by the epsilon of activation rejects too often."""
    from scipy import special

    from rigcast.perception._anova import epsilon_used

    random, hits = np.random.default_rng(12), 0
    for _ in range(400):
        y = null_study(random, False, slopes=0.0)
        z, other = scores(y, (0,)), scores(y, (1,))
        mean = z.mean(0)
        f = 20 * float(mean @ mean) * 19 / float(((z - mean) ** 2).sum())
        epsilon = epsilon_used("huynh-feldt", other - other.mean(0))
        hits += special.fdtrc(epsilon * 11, epsilon * 209, f) < 0.05
    assert hits / 400 > 0.065


def test_people_with_missing_cells_are_left_out_and_named():
    y = np.random.default_rng(5).normal(size=(6, 2, 3))
    table = table_of(y, ["a", "b"])
    kept = ~((table["person"] == 4) & (table["a"] == 1) & (table["b"] == 2))
    cut = {name: column[kept] for name, column in table.items()}
    result = rp.anova(cut, "rating", "person", within=["a", "b"])
    assert result.people == 5
    assert result.notes == ["left out, for cells without an answer: 4 (1 of 6 people)"]
    whole = {name: column[table["person"] != 4] for name, column in table.items()}
    assert result["a:b"] == rp.anova(whole, "rating", "person", within=["a", "b"])["a:b"]


def test_a_mixed_model_uses_all_answers():
    """Against the restricted likelihood of the whole covariance matrix, minimized by scipy."""
    from scipy import optimize

    random = np.random.default_rng(6)
    y = random.normal(size=(12, 3, 4)) + 2 * random.normal(size=(12, 1, 1)) + np.arange(3.0)[:, None]
    table = table_of(y, ["a", "b"])
    kept = random.random(y.size) > 0.15
    cut = {name: column[kept] for name, column in table.items()}
    result = rp.anova(cut, "rating", "person", within=["a", "b"], missing="mixed")
    blocks = [np.kron(np.ones((3, 1)), np.ones((4, 1)))]
    for term in terms_of([range(3), range(4)]):  # type: ignore[list-item]
        parts = [contrasts(levels) if axis in term else np.ones((levels, 1)) for axis, levels in enumerate((3, 4))]
        blocks.append(np.kron(*parts))
    design = np.concatenate(blocks, axis=1)[4 * cut["a"] + cut["b"]]
    same = (cut["person"][:, None] == cut["person"]).astype(float)

    def solved(quotient):
        inverse = np.linalg.inv(np.eye(len(same)) + quotient * same)
        normal = design.T @ inverse @ design
        beta = np.linalg.solve(normal, design.T @ inverse @ cut["rating"])
        apart = cut["rating"] - design @ beta
        rest = apart @ inverse @ apart
        free = len(same) - design.shape[1]
        loss = free * np.log(rest) + np.linalg.slogdet(normal)[1] - np.linalg.slogdet(inverse)[1]
        return loss, beta, np.linalg.inv(normal) * rest / free

    best = optimize.minimize_scalar(lambda log: solved(np.exp(log))[0], bounds=(-5, 8), options={"xatol": 1e-10})
    _, beta, covariance = solved(np.exp(best.x))
    f = beta[1:3] @ np.linalg.solve(covariance[1:3, 1:3], beta[1:3]) / 2
    assert result["a"].f == pytest.approx(f, rel=PRINTED_2)
    assert result["a"].df_error == kept.sum() - 12 - 11
    assert "random intercept per person" in result.notes[0]


def test_a_mixed_model_of_whole_cells_is_the_usual_analysis_with_pooled_errors():
    y = np.random.default_rng(7).normal(size=(7, 2, 3))
    table = table_of(y, ["a", "b"])
    extra = {name: np.append(column, column[:1]) for name, column in table.items()}
    assert rp.anova(extra, "rating", "person", within=["a", "b"], missing="mixed").method == "within-subject"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": "x"}, "anova: value is 'x'"),
        ({"within": "a"}, "anova: within is 'a'; it must be a list"),
        ({"within": []}, "anova: within is"),
        ({"within": ["c"]}, "anova: within is 'c'; it must be one of"),
        ({"correction": "gg"}, "anova: correction is 'gg'"),
        ({"missing": "drop"}, "anova: missing is 'drop'"),
        ({"within": ["one"]}, "is always 0; it must be of two levels"),
        ({"person": "one"}, "is of 1 person; it must be of two people"),
    ],
)
def test_wrong_arguments_are_named(change, words):
    table = table_of(np.random.default_rng(8).normal(size=(4, 2)), ["a"]) | {"one": np.zeros(8, int)}
    arguments = {"value": "rating", "person": "person", "within": ["a"]} | change
    with pytest.raises(ValueError, match="anova: ") as error:
        rp.anova(table, **arguments)
    assert words in str(error.value)


def test_tables_may_be_structured_arrays_and_data_frames():
    table = table_of(np.random.default_rng(9).normal(size=(4, 3)), ["a"])
    expected = rp.anova(table, "rating", "person", within=["a"])
    rows = np.zeros(12, [("person", int), ("a", int), ("rating", float)])
    for name in rows.dtype.names:
        rows[name] = table[name]
    assert rp.anova(rows, "rating", "person", within=["a"]) == expected
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert rp.anova(pandas.DataFrame(table), "rating", "person", within=["a"]) == expected


def test_answers_of_one_cell_are_averaged():
    table = table_of(np.random.default_rng(10).normal(size=(4, 3)), ["a"])
    twice = {name: np.concatenate([column, column]) for name, column in table.items()}
    ours, again = (rp.anova(t, "rating", "person", within=["a"])["a"] for t in (table, twice))
    assert again.f == pytest.approx(ours.f, rel=EXACT)


def test_a_printed_table_names_every_term():
    y = np.random.default_rng(11).normal(size=(4, 2, 3))
    text = str(rp.anova(table_of(y, ["a", "b"]), "rating", "person", within=["a", "b"]))
    assert [line.split()[0] for line in text.splitlines()[1:4]] == ["a", "b", "a:b"]
