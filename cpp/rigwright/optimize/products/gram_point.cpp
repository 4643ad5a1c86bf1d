#include "rigwright/optimize/products/gram_point.h"

#include <algorithm>

#include "rigwright/optimize/polynomial.h"
#include "rigwright/optimize/products/step_rules.h"

namespace rigwright::optimize {

GramPoint::GramPoint(const ProductModel& products, const linalg::GramMatrix& gram)
    : products_(products),
      gram_(gram),
      kernels_(linalg::gram_kernels()),
      x_(products.num_variables()),
      phi_(products.num_columns()),
      r_(gram.width()),
      changes_(products.num_columns()),
      columns_(products.num_columns()),
      rows_(products.num_columns()) {}

void GramPoint::set(const double* x) {
    if (!projected_.empty() && std::equal(x_.begin(), x_.end(), x)) {  // only the targets are others
        for (std::size_t n = 0; n < phi_.size(); ++n) r_[n] += projected_[n] - terms_.projection[n];
    } else {
        std::copy_n(x, x_.size(), x_.begin());
        refresh();
    }
    projected_.assign(terms_.projection, terms_.projection + phi_.size());
}

void GramPoint::refresh() {
    for (std::size_t n = 0; n < phi_.size(); ++n) r_[n] = -terms_.projection[n];
    std::fill(phi_.begin(), phi_.end(), 0.0);
    update();
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
    std::int64_t count = 0;
    for (const std::int32_t n : products_.users(variable)) count = update_column(n, count);
    add_changes(count);
}

void GramPoint::update() {
    const std::int32_t columns = static_cast<std::int32_t>(phi_.size());
    std::int64_t count = 0;
    for (std::int32_t n = 0; n < columns; ++n) count = update_column(n, count);
    add_changes(count);
}

/// Written behind what has changed whether it has or not: which columns do no branch can foretell.
inline std::int64_t GramPoint::update_column(std::int32_t n, std::int64_t count) {
    const double now = products_.activation(n, x_.data()), before = phi_[n];
    changes_[count] = now - before;
    columns_[count] = n;
    phi_[n] = now;
    return count + (now != before ? 1 : 0);
}

void GramPoint::add_changes(std::int64_t count) {
    num_changes_ = count;
    for (std::int64_t i = 0; i < count; ++i) rows_[i] = gram_.row(columns_[i]);
    kernels_.add_rows(changes_.data(), rows_.data(), count, r_.data(), gram_.width());
}

void GramPoint::expand(std::int64_t variable, double low, double high) {
    const std::span<const std::int32_t> users = products_.users(variable);
    const double x = x_[variable], middle = 0.5 * (low + high);
    const bool here = low <= x && x <= high;
    const std::size_t terms = products_.degree(variable) + 1, count = users.size();
    along_.assign(terms * count, 0.0);
    for (std::size_t u = 0; u < count; ++u) {
        along_[u] = 1.0;
        for (const Driver& f : products_.drivers(users[u])) {
            if (f.variable != variable) {
                for (std::size_t e = 0; e < terms; ++e) along_[e * count + u] *= f.value(x_[f.variable]);
                continue;
            }
            const double slope = f.slope(middle, 1), value = f.value(middle) + slope * (x - middle);
            for (std::size_t e = terms; e-- > 0;) {
                along_[e * count + u] *= value;
                if (e > 0) along_[e * count + u] += slope * along_[(e - 1) * count + u];
            }
        }
        along_[u] = here ? 0.0 : along_[u] - phi_[users[u]];
    }
}

void GramPoint::restrict_to_line(std::int64_t variable) {
    const std::span<const std::int32_t> users = products_.users(variable);
    const std::size_t terms = products_.degree(variable) + 1, count = users.size();
    polynomial_.assign(std::max<std::size_t>(2 * terms - 1, 3), 0.0);
    polynomial_[1] = terms_.linear[variable] + 2.0 * terms_.quadratic[variable] * x_[variable];
    polynomial_[2] = terms_.quadratic[variable];
    for (std::size_t e = 0; e < terms; ++e) {
        const double* own = along_.data() + e * count;
        for (std::size_t u = 0; u < count; ++u) {
            if (own[u] == 0.0) continue;
            const double* row = gram_.row(users[u]);
            polynomial_[e] += 2.0 * own[u] * r_[users[u]];
            for (std::size_t f = 0; f < terms; ++f) {
                const double* other = along_.data() + f * count;
                double sum = 0.0;
                for (std::size_t v = 0; v < count; ++v) sum += row[users[v]] * other[v];
                polynomial_[e + f] += own[u] * sum;
            }
        }
    }
}

bool GramPoint::minimize(std::int64_t variable, bool local) {
    const double x = x_[variable], lower = terms_.lower[variable], upper = terms_.upper[variable];
    if (lower == upper) return false;
    double best = x, gain = 0.0;
    const auto try_piece = [&](double low, double high) {
        if (low >= high || (local && (x < low || x > high))) return;
        expand(variable, low, high);
        restrict_to_line(variable);
        const double h = polynomial_minimizer(polynomial_, low - x, high - x);
        const double change = polynomial_value(polynomial_, h);
        if (change < gain) {
            gain = change;
            best = std::clamp(x + h, low, high);
        }
    };
    double low = lower;
    for (const double knot : products_.knots(variable)) {
        if (knot <= low || knot >= upper) continue;
        try_piece(low, knot);
        low = knot;
    }
    try_piece(low, upper);
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
    update();
    for (std::int64_t i = 0; i < num_changes_; ++i) change += changes_[i] * (r_[columns_[i]] + old_r_[columns_[i]]);
    return change;
}

void GramPoint::undo() {
    x_.swap(old_x_);
    phi_.swap(old_phi_);
    r_.swap(old_r_);
}

}  // namespace rigwright::optimize
