#include "rigcast/optimize/products/gram_point.h"

#include <algorithm>

#include "rigcast/optimize/polynomial.h"
#include "rigcast/optimize/products/step_rules.h"

namespace rigcast::optimize {

GramPoint::GramPoint(const ProductModel& products, const linalg::GramMatrix& gram)
    : products_(products),
      gram_(gram),
      kernels_(linalg::gram_kernels()),
      x_(products.num_variables()),
      phi_(products.num_columns()),
      r_(gram.width()),
      changes_(products.num_columns()),
      changed_columns_(products.num_columns()),
      changed_rows_(products.num_columns()) {}

void GramPoint::set(const double* x) {
    const bool is_current = !residual_projection_.empty() && std::equal(x_.begin(), x_.end(), x);
    if (is_current) {
        for (std::size_t n = 0; n < phi_.size(); ++n) r_[n] += residual_projection_[n] - terms_.projection[n];
    } else {
        std::copy_n(x, x_.size(), x_.begin());
        refresh();
    }
    residual_projection_.assign(terms_.projection, terms_.projection + phi_.size());
}

void GramPoint::refresh() {
    for (std::size_t n = 0; n < phi_.size(); ++n) r_[n] = -terms_.projection[n];
    std::fill(phi_.begin(), phi_.end(), 0.0);
    update_all();
}

double GramPoint::objective() const {
    double sum = 0.0;
    for (std::size_t n = 0; n < phi_.size(); ++n) sum += phi_[n] * (r_[n] - terms_.projection[n]);
    for (std::size_t k = 0; k < x_.size(); ++k) sum += x_[k] * (terms_.linear[k] + terms_.quadratic[k] * x_[k]);
    return sum;
}

double GramPoint::slope(std::int64_t variable, int side) const {
    double sum = 0.0;
    for (const std::int32_t n : products_.users(variable)) {
        sum += products_.slope(n, variable, x_.data(), side) * r_[n];
    }
    return 2.0 * (sum + terms_.quadratic[variable] * x_[variable]) + terms_.linear[variable];
}

void GramPoint::slopes(double* right) const {
    products_.pull_back(x_.data(), r_.data(), right);
    for (std::size_t k = 0; k < x_.size(); ++k) {
        right[k] = 2.0 * (right[k] + terms_.quadratic[k] * x_[k]) + terms_.linear[k];
    }
}

double GramPoint::optimality() const {
    double worst = 0.0;
    for (std::int64_t k = 0; k < products_.num_variables(); ++k) {
        if (!(x_[k] >= terms_.upper[k])) worst = steeper(worst, -slope(k, 1));
        if (!(x_[k] <= terms_.lower[k])) worst = steeper(worst, slope(k, -1));
    }
    return worst;
}

void GramPoint::assign(std::int64_t variable, double value) {
    x_[variable] = value;
    std::int64_t num_changes = 0;
    for (const std::int32_t n : products_.users(variable)) num_changes = update_activation(n, num_changes);
    update_residual(num_changes);
}

/// Updates phi_ and r_ to x_.
void GramPoint::update_all() {
    const std::int32_t columns = static_cast<std::int32_t>(phi_.size());
    std::int64_t num_changes = 0;
    for (std::int32_t n = 0; n < columns; ++n) num_changes = update_activation(n, num_changes);
    update_residual(num_changes);
}

/// Updates phi_[column] to x_. Returns the number of changes so far. The change is stored unconditionally and the count
/// advances only if there is one: a branch here mispredicts.
inline std::int64_t GramPoint::update_activation(std::int32_t column, std::int64_t num_changes) {
    const double now = products_.activation(column, x_.data());
    const double before = phi_[column];
    changes_[num_changes] = now - before;
    changed_columns_[num_changes] = column;
    phi_[column] = now;
    return num_changes + (now != before ? 1 : 0);
}

/// Adds G times the changes of phi_ to r_.
void GramPoint::update_residual(std::int64_t num_changes) {
    num_changes_ = num_changes;
    for (std::int64_t i = 0; i < num_changes; ++i) changed_rows_[i] = gram_.row(changed_columns_[i]);
    kernels_.add_rows(changes_.data(), changed_rows_.data(), num_changes, r_.data(), gram_.width());
}

/// Fills activation_polynomials_: for each user, the product of its drivers as a polynomial in the step h of the
/// variable, where x + h is on the piece [low, high]. A driver of the variable is linear there, value + slope h.
void GramPoint::expand_activations(std::int64_t variable, double low, double high) {
    const std::span<const std::int32_t> users = products_.users(variable);
    const double x = x_[variable];
    const double middle = 0.5 * (low + high);
    const bool contains_x = low <= x && x <= high;
    const std::size_t num_powers = products_.degree(variable) + 1;
    const std::size_t count = users.size();
    std::vector<double>& coefficients = activation_polynomials_;
    coefficients.assign(num_powers * count, 0.0);
    for (std::size_t u = 0; u < count; ++u) {
        coefficients[u] = 1.0;
        for (const Driver& d : products_.drivers(users[u])) {
            if (d.variable != variable) {
                for (std::size_t e = 0; e < num_powers; ++e) coefficients[e * count + u] *= d.value(x_[d.variable]);
                continue;
            }
            const double slope = d.slope(middle, 1);
            const double value = d.value(middle) + slope * (x - middle);
            for (std::size_t e = num_powers; e-- > 0;) {
                coefficients[e * count + u] *= value;
                if (e > 0) coefficients[e * count + u] += slope * coefficients[(e - 1) * count + u];
            }
        }
        coefficients[u] = contains_x ? 0.0 : coefficients[u] - phi_[users[u]];
    }
}

/// Fills objective_polynomial_ from activation_polynomials_: with d(h) = phi(h) - phi, the change of the objective is
/// 2 r^T d + d^T G d, and that of its linear and quadratic terms.
void GramPoint::expand_objective(std::int64_t variable) {
    const std::span<const std::int32_t> users = products_.users(variable);
    const std::size_t num_powers = products_.degree(variable) + 1;
    const std::size_t count = users.size();
    std::vector<double>& result = objective_polynomial_;
    result.assign(std::max<std::size_t>(2 * num_powers - 1, 3), 0.0);
    result[1] = terms_.linear[variable] + 2.0 * terms_.quadratic[variable] * x_[variable];
    result[2] = terms_.quadratic[variable];
    for (std::size_t e = 0; e < num_powers; ++e) {
        const double* d_e = activation_polynomials_.data() + e * count;
        for (std::size_t u = 0; u < count; ++u) {
            if (d_e[u] == 0.0) continue;
            const double* row = gram_.row(users[u]);
            result[e] += 2.0 * d_e[u] * r_[users[u]];
            for (std::size_t f = 0; f < num_powers; ++f) {
                const double* d_f = activation_polynomials_.data() + f * count;
                double sum = 0.0;
                for (std::size_t v = 0; v < count; ++v) sum += row[users[v]] * d_f[v];
                result[e + f] += d_e[u] * sum;
            }
        }
    }
}

bool GramPoint::minimize(std::int64_t variable) {
    const double x = x_[variable];
    const double upper = terms_.upper[variable];
    double low = terms_.lower[variable];
    if (low == upper) return false;
    double best = x;
    double best_change = 0.0;
    const auto try_piece = [&](double high) {
        if (low >= high) return;
        expand_activations(variable, low, high);
        expand_objective(variable);
        const double h = polynomial_minimizer(objective_polynomial_, low - x, high - x);
        const double change = polynomial_value(objective_polynomial_, h);
        if (change < best_change) {
            best_change = change;
            best = std::clamp(x + h, low, high);
        }
    };
    for (const double knot : products_.knots(variable)) {
        if (knot <= low || knot >= upper) continue;
        try_piece(knot);
        low = knot;
    }
    try_piece(upper);
    if (best == x) return false;
    assign(variable, best);
    return true;
}

double GramPoint::move(const double* x) {
    old_x_ = x_;
    old_phi_ = phi_;
    old_r_ = r_;
    double change = 0.0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
        const double step = x[k] - x_[k];
        change += step * (terms_.linear[k] + terms_.quadratic[k] * (x[k] + x_[k]));
        x_[k] = x[k];
    }
    update_all();
    for (std::int64_t i = 0; i < num_changes_; ++i) {  // d^T G d + 2 r^T d = d^T (r + G d + r)
        const std::int32_t n = changed_columns_[i];
        change += changes_[i] * (r_[n] + old_r_[n]);
    }
    return change;
}

void GramPoint::undo() {
    x_.swap(old_x_);
    phi_.swap(old_phi_);
    r_.swap(old_r_);
}

}  // namespace rigcast::optimize
