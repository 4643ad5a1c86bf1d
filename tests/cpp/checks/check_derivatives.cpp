// The derivatives of every kind of model that has them against each other and against central differences of evaluate,
// restricted models and sessions against the whole, without Python.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "random_model.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/session.h"

namespace {

using namespace rigcast;
using Numbers = std::vector<float>;

/// A model at one pose, with a direction of its columns and one of its vertices.
struct Case {
    Case(const std::string& kind, std::uint64_t seed)
        : model(make_model(std::make_shared<const TensorFile>(checks::random_model(kind, sizes, seed)))),
          columns(model->character().num_controls()),
          count(model->character().num_vertices()),
          pose(checks::random_poses(sizes, 1, seed)) {
        pose.resize(static_cast<std::size_t>(columns));
        std::mt19937_64 random(seed);
        std::normal_distribution<float> normal;
        for (std::int64_t i = 0; i < columns; ++i) tangent.push_back(normal(random));
        for (std::int64_t i = 0; i < 3 * count; ++i) cotangent.push_back(normal(random));
    }

    View<const float, 2> row(const Numbers& numbers) const { return {numbers.data(), {1, columns}}; }
    Numbers evaluate(const Numbers& at) const {
        Numbers out(static_cast<std::size_t>(3 * count));
        model->evaluate(row(at), {out.data(), {1, count, 3}}, 1);
        return out;
    }

    checks::Sizes sizes{.joints = 4, .vertices = 40, .sets = 4, .hidden = 10, .components = 4};
    std::shared_ptr<rig::Deformer> model;
    std::int64_t columns, count;
    Numbers pose, tangent, cotangent;
};

double dot(const Numbers& a, const Numbers& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

double difference(const Numbers& a, const Numbers& b) {
    double most = 0.0, largest = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(a[i]) - b[i]));
        largest = std::max(largest, std::abs(static_cast<double>(b[i])));
    }
    return most / largest;
}

int check(const char* kind, const char* what, double error, double limit) {
    if (error <= limit) return 0;
    std::printf("%s: %s is off by %.1e (at most %.0e)\n", kind, what, error, limit);
    return 1;
}

int check_derivatives(const char* kind, const Case& c) {
    Numbers jvp(c.cotangent.size()), vjp(c.tangent.size()), jacobian(jvp.size() * vjp.size()), product(jvp.size());
    c.model->jvp(c.row(c.pose), c.row(c.tangent), {jvp.data(), {1, c.count, 3}}, 1);
    c.model->vjp(c.row(c.pose), {c.cotangent.data(), {1, c.count, 3}}, {vjp.data(), {1, c.columns}}, 1);
    c.model->jacobian(c.row(c.pose), {jacobian.data(), {1, 3 * c.count, c.columns}}, 1);
    for (std::size_t i = 0; i < product.size(); ++i) {
        const auto row = jacobian.begin() + static_cast<std::ptrdiff_t>(i * vjp.size());
        product[i] = static_cast<float>(dot(Numbers(row, row + static_cast<std::ptrdiff_t>(vjp.size())), c.tangent));
    }
    constexpr float step = 2e-3f;
    Numbers ahead = c.pose, behind = c.pose, slope(jvp.size());
    for (std::size_t k = 0; k < c.tangent.size(); ++k) {
        ahead[k] += step * c.tangent[k];
        behind[k] -= step * c.tangent[k];
    }
    const Numbers after = c.evaluate(ahead), before = c.evaluate(behind);
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (after[i] - before[i]) / (2.0f * step);
    const double adjoint = std::abs(dot(jvp, c.cotangent) - dot(c.tangent, vjp)) /
                           std::sqrt(dot(jvp, jvp) * dot(c.cotangent, c.cotangent));
    return check(kind, "jvp against differences", difference(jvp, slope), 1e-2) +
           check(kind, "vjp against jvp", adjoint, 2e-5) + check(kind, "jacobian", difference(product, jvp), 2e-5);
}

int check_part(const char* kind, const Case& c) {
    const Numbers whole = c.evaluate(c.pose);
    Numbers part(6);
    const std::int32_t chosen[2] = {static_cast<std::int32_t>(c.count - 1), 3};
    c.model->restricted({chosen, {2}})->evaluate(c.row(c.pose), {part.data(), {1, 2, 3}}, 1);
    int faults = 0;
    for (int i = 0; i < 2; ++i) {
        faults += std::memcmp(part.data() + 3 * i, whole.data() + 3 * chosen[i], 3 * sizeof(float)) != 0;
    }
    if (faults > 0) std::printf("%s: a restricted model has other bytes than the whole\n", kind);
    return faults;
}

int check_session(const char* kind, const Case& c) {
    const Numbers whole = c.evaluate(c.pose);
    Numbers posed(whole.size());
    rig::Session session(c.model);
    session.evaluate({c.tangent.data(), {c.columns}}, {posed.data(), {c.count, 3}});
    session.evaluate({c.pose.data(), {c.columns}}, {posed.data(), {c.count, 3}});
    const bool is_same = std::memcmp(posed.data(), whole.data(), whole.size() * sizeof(float)) == 0;
    if (!is_same) std::printf("%s: a session has other bytes than the model\n", kind);
    return is_same ? 0 : 1;
}

}  // namespace

int main() {
    int faults = 0, differentiated = 0;
    for (const std::string& kind : model_kinds()) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Case c(kind, seed);
            faults += check_session(kind.c_str(), c);
            if (!checks::has_derivatives(*c.model)) continue;
            faults += check_derivatives(kind.c_str(), c) + check_part(kind.c_str(), c);
            ++differentiated;
        }
    }
    std::printf("derivatives of %d models, %d faults\n", differentiated, faults);
    return faults == 0 && differentiated > 0 ? 0 : 1;
}
