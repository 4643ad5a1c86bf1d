#include "rigcast/synthesis/latent/kernel.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "rigcast/core/dispatch.h"
#include "rigcast/core/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/synthesis/latent/kernel.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format off
#include <hwy/contrib/math/math-inl.h>  // after highway.h
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace rigcast::synthesis::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D d;
constexpr std::int64_t lanes = hn::MaxLanes(d);

void kernel_row(const Centers& centers, const double* x, const Kernel& kernel, std::int64_t begin, std::int64_t end,
                double* out) {
    const V scale = hn::Set(d, -0.5 / (kernel.length * kernel.length));
    const V variance = hn::Set(d, kernel.variance);
    end = (end + 7) / 8 * 8;
    for (std::int64_t j = begin / 8 * 8; j < end; j += lanes) {
        V squared = hn::Zero(d);
        for (std::int64_t a = 0; a < centers.dimension(); ++a) {
            const V difference = hn::Sub(hn::Set(d, x[a]), hn::LoadU(d, centers.coordinate(a) + j));
            squared = hn::MulAdd(difference, difference, squared);
        }
        hn::StoreU(hn::Mul(variance, hn::Exp(d, hn::Mul(scale, squared))), d, out + j);
    }
}

double sum_of_products(const double* x, const double* y, std::int64_t n) {
    V sum = hn::Zero(d);
    for (std::int64_t i = 0; i < n; i += lanes) sum = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum);
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// Rows of the root that share a pass over k and the gradient.
constexpr int rows_per_pass = 4;

/// The squared length of `Rows` rows times k; adds their share of the gradient.
template <int Rows>
HWY_INLINE double add_rows(const double* const* rows, std::int64_t width, const double* k, double* gradient) {
    V sum[Rows];
    for (int r = 0; r < Rows; ++r) sum[r] = hn::Zero(d);
    for (std::int64_t j = 0; j < width; j += lanes) {
        const V entry = hn::LoadU(d, k + j);
        for (int r = 0; r < Rows; ++r) sum[r] = hn::MulAdd(hn::LoadU(d, rows[r] + j), entry, sum[r]);
    }
    double squared = 0.0;
    V u[Rows];
    for (int r = 0; r < Rows; ++r) {
        const double product = hn::GetLane(hn::SumOfLanes(d, sum[r]));
        squared += product * product;
        u[r] = hn::Set(d, product);
    }
    if (gradient == nullptr) return squared;
    for (std::int64_t j = 0; j < width; j += lanes) {
        V total = hn::LoadU(d, gradient + j);
        for (int r = 0; r < Rows; ++r) total = hn::MulAdd(hn::LoadU(d, rows[r] + j), u[r], total);
        hn::StoreU(total, d, gradient + j);
    }
    return squared;
}

double quadratic(const double* root, std::int64_t n, std::int64_t stride, const double* k, double* gradient) {
    double squared = 0.0;
    std::int64_t i = 0;
    const double* rows[rows_per_pass];
    for (; i + rows_per_pass <= n; i += rows_per_pass) {
        for (int r = 0; r < rows_per_pass; ++r) rows[r] = root + (i + r) * stride;
        squared += add_rows<rows_per_pass>(rows, (i + rows_per_pass + 7) / 8 * 8, k, gradient);
    }
    for (; i < n; ++i) {
        rows[0] = root + i * stride;
        squared += add_rows<1>(rows, (i + 8) / 8 * 8, k, gradient);
    }
    return squared;
}

void pull(const Centers& centers, const double* x, const double* weights, double* out) {
    for (std::int64_t a = 0; a < centers.dimension(); ++a) {
        const double* coordinate = centers.coordinate(a);
        const V at = hn::Set(d, x[a]);
        V sum = hn::Zero(d);
        for (std::int64_t j = 0; j < centers.stride(); j += lanes) {
            sum = hn::MulAdd(hn::LoadU(d, weights + j), hn::Sub(hn::LoadU(d, coordinate + j), at), sum);
        }
        out[a] += hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

/// |x - center j|^2 for one vector of centers.
HWY_INLINE V squared_distance(const Centers& centers, const double* x, std::int64_t j) {
    V squared = hn::Zero(d);
    for (std::int64_t a = 0; a < centers.dimension(); ++a) {
        const V difference = hn::Sub(hn::Set(d, x[a * centers.stride()]), hn::LoadU(d, centers.coordinate(a) + j));
        squared = hn::MulAdd(difference, difference, squared);
    }
    return squared;
}

double weigh_pairs(const Centers& centers, std::int64_t i, const Kernel& kernel, const double* solved,
                   std::int64_t outputs, const double* inverse, double* weights) {
    const std::int64_t stride = centers.stride();
    const V scale = hn::Set(d, -0.5 / (kernel.length * kernel.length));
    const V variance = hn::Set(d, kernel.variance);
    const V count = hn::Set(d, static_cast<double>(outputs));
    V sum = hn::Zero(d);
    std::int64_t j = 0;
    for (; j < i; j += lanes) {
        V product = hn::Zero(d);
        for (std::int64_t p = 0; p < outputs; ++p) {
            product = hn::MulAdd(hn::Set(d, solved[p * stride + i]), hn::LoadU(d, solved + p * stride + j), product);
        }
        product = hn::NegMulAdd(count, hn::LoadU(d, inverse + j), product);
        const V squared = squared_distance(centers, centers.coordinate(0) + i, j);
        const V covariance = hn::Mul(variance, hn::Exp(d, hn::Mul(scale, squared)));
        const V inside =
            hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(i - j)), hn::Mul(covariance, product));
        sum = hn::Add(sum, inside);
        hn::StoreU(inside, d, weights + j);
    }
    for (; j < stride; j += lanes) hn::StoreU(hn::Zero(d), d, weights + j);
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

double spread(const Centers& centers, const double* x, const double* weights, std::int64_t count, double* own,
              double* moved) {
    V squared = hn::Zero(d);
    for (std::int64_t a = 0; a < centers.dimension(); ++a) {
        const double* coordinate = centers.coordinate(a);
        double* to = moved + a * centers.stride();
        const V at = hn::Set(d, x[a]);
        V sum = hn::Zero(d);
        for (std::int64_t j = 0; j < count; j += lanes) {
            const V away = hn::Sub(hn::LoadU(d, coordinate + j), at);
            const V force = hn::Mul(hn::LoadU(d, weights + j), away);
            sum = hn::Add(sum, force);
            squared = hn::MulAdd(force, away, squared);
            hn::StoreU(hn::Sub(hn::LoadU(d, to + j), force), d, to + j);
        }
        own[a] += hn::GetLane(hn::SumOfLanes(d, sum));
    }
    return hn::GetLane(hn::SumOfLanes(d, squared));
}

const KernelFunctions* kernel_function_table() {
    static constexpr KernelFunctions all{&kernel_row, &quadratic, &pull, &weigh_pairs, &spread, &sum_of_products};
    return &all;
}

}  // namespace rigcast::synthesis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::synthesis {

RIGCAST_EXPORT(kernel_function_table);

RIGCAST_KERNEL_TABLE(KernelFunctions, kernel_functions, kernel_function_table)

void check_kernel(const char* function, const Kernel& kernel) {
    const auto check = [&](const char* name, double number) {
        if (std::isfinite(number) && number > 0.0) return;
        throw bad_argument(function, name, std::to_string(number), "positive and finite");
    };
    check("variance", kernel.variance);
    check("length", kernel.length);
    check("noise", kernel.noise);
}

void Centers::set(View<const double, 2> points) {
    size_ = points.extent(0);
    dimension_ = points.extent(1);
    stride_ = (size_ + 7) / 8 * 8;
    numbers_.assign(static_cast<std::size_t>(stride_ * dimension_), 0.0);
    for (std::int64_t i = 0; i < size_; ++i) {
        for (std::int64_t a = 0; a < dimension_; ++a) numbers_[a * stride_ + i] = points(i, a);
    }
}

}  // namespace rigcast::synthesis
#endif
