// The box quadratic against the enumeration of all active sets of 12 variables: each is free, at its lowest or at its
// highest, and the best feasible minimizer of them all is the minimizer in the box.
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "rigcast/optimize/box/box_quadratic.h"

namespace {

constexpr int n = 12;

struct Problem {
    std::vector<double> hessian = std::vector<double>(n * n);
    std::vector<double> gradient = std::vector<double>(n);
    std::vector<double> low = std::vector<double>(n);
    std::vector<double> high = std::vector<double>(n);
};

double value(const Problem& p, const std::array<double, n>& d) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += p.gradient[i] * d[i];
        for (int j = 0; j < n; ++j) sum += 0.5 * d[i] * p.hessian[i * n + j] * d[j];
    }
    return sum;
}

/// Minimizes over the free variables with the others fixed at d, by Gauss-Jordan elimination.
void solve_free(const Problem& p, const std::array<int, n>& state, std::array<double, n>* d) {
    std::array<std::array<double, n + 1>, n> system{};
    std::array<int, n> free{};
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (state[i] == 0) free[count++] = i;
    }
    for (int a = 0; a < count; ++a) {
        system[a][count] = -p.gradient[free[a]];
        for (int j = 0; j < n; ++j) {
            if (state[j] != 0) system[a][count] -= p.hessian[free[a] * n + j] * (*d)[j];
        }
        for (int b = 0; b < count; ++b) system[a][b] = p.hessian[free[a] * n + free[b]];
    }
    for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
            if (b == a) continue;
            const double factor = system[b][a] / system[a][a];
            for (int c = a; c <= count; ++c) system[b][c] -= factor * system[a][c];
        }
    }
    for (int a = 0; a < count; ++a) (*d)[free[a]] = system[a][count] / system[a][a];
}

double enumerated(const Problem& p) {
    int sets = 1;
    for (int i = 0; i < n; ++i) sets *= 3;
    double best = 0.0;  // d = 0 is inside
    for (int set = 0; set < sets; ++set) {
        std::array<int, n> state{};
        std::array<double, n> d{};
        for (int i = 0, rest = set; i < n; ++i, rest /= 3) {
            state[i] = rest % 3;
            d[i] = state[i] == 1 ? p.low[i] : state[i] == 2 ? p.high[i] : 0.0;
        }
        solve_free(p, state, &d);
        bool is_inside = true;
        for (int i = 0; i < n; ++i) is_inside = is_inside && d[i] >= p.low[i] && d[i] <= p.high[i];
        if (is_inside) best = std::min(best, value(p, d));
    }
    return best;
}

Problem made(int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Problem p;
    std::vector<double> rows(2 * n * n);
    for (double& x : rows) x = normal(random);
    for (int i = 0; i < n; ++i) {
        p.gradient[i] = 3.0 * normal(random);
        p.low[i] = -uniform(random) * (i % 4 != 0);  // some variables stand at a bound
        p.high[i] = uniform(random);
        for (int j = 0; j < n; ++j) {
            for (int r = 0; r < 2 * n; ++r) p.hessian[i * n + j] += rows[r * n + i] * rows[r * n + j] / n;
        }
    }
    return p;
}

bool check(int seed) {
    const Problem p = made(seed);
    rigcast::optimize::BoxQuadratic box;
    box.minimize(p.hessian, n, p.gradient, p.low, p.high, 0.0, 1e-12);
    std::array<double, n> d{};
    int at_bounds = 0;
    for (int i = 0; i < n; ++i) {
        d[i] = box.step()[i];
        at_bounds += d[i] == p.low[i] || d[i] == p.high[i];
        if (d[i] < p.low[i] || d[i] > p.high[i]) return false;
    }
    const double found = value(p, d), best = enumerated(p);
    if (std::abs(found - best) <= 1e-10 * std::abs(best) && at_bounds > 0 && at_bounds < n) return true;
    std::printf("seed %d: %.12g, enumerated %.12g, %d at bounds\n", seed, found, best, at_bounds);
    return false;
}

}  // namespace

int main() {
    bool right = true;
    for (int seed = 0; seed < 3; ++seed) right = check(seed) && right;
    if (right) std::puts("the box quadratic finds the minimizer of all active sets");
    return right ? 0 : 1;
}
