#include "rigcast/linalg/gram_kernels.h"

#include <algorithm>

#include "rigcast/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/linalg/gram_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigcast/linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigcast::linalg::HWY_NAMESPACE {

/// y = sum_p coefficients[p] rows[p] over `Rows` rows, added to y if `Add`.
template <int Rows, bool Add = true, class T>
HWY_INLINE void add_or_set(const T* coefficients, const T* const* rows, T* y, std::int64_t n) {
    using Row = hn::Vec<hn::ScalableTag<T>>;
    constexpr hn::ScalableTag<T> tag;
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    Row a[Rows];
    const T* row[Rows];
    for (int p = 0; p < Rows; ++p) {
        a[p] = hn::Set(tag, coefficients[p]);
        row[p] = rows[p];
    }
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        Row sum = Add ? hn::LoadU(tag, y + i) : hn::Zero(tag);
        Row next = Add ? hn::LoadU(tag, y + i + lanes) : hn::Zero(tag);
        for (int p = 0; p < Rows; ++p) {
            sum = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i), sum);
            next = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i + lanes), next);
        }
        hn::StoreU(sum, tag, y + i);
        hn::StoreU(next, tag, y + i + lanes);
    }
    for (; i + lanes <= n; i += lanes) {
        Row sum = Add ? hn::LoadU(tag, y + i) : hn::Zero(tag);
        for (int p = 0; p < Rows; ++p) sum = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i), sum);
        hn::StoreU(sum, tag, y + i);
    }
    for (; i < n; ++i) {
        T sum = Add ? y[i] : T{0};
        for (int p = 0; p < Rows; ++p) sum += coefficients[p] * row[p][i];
        y[i] = sum;
    }
}

/// Rows that are summed in one pass over y: fewer passes, as long as their pointers fit the registers.
constexpr std::int64_t max_rows_per_pass = 8;

template <bool Add, class T>
void run_pass(const T* coefficients, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    switch (count) {
        case 1:
            return add_or_set<1, Add>(coefficients, rows, y, n);
        case 2:
            return add_or_set<2, Add>(coefficients, rows, y, n);
        case 3:
            return add_or_set<3, Add>(coefficients, rows, y, n);
        case 4:
            return add_or_set<4, Add>(coefficients, rows, y, n);
        case 5:
            return add_or_set<5, Add>(coefficients, rows, y, n);
        case 6:
            return add_or_set<6, Add>(coefficients, rows, y, n);
        case 7:
            return add_or_set<7, Add>(coefficients, rows, y, n);
        case 8:
            return add_or_set<8, Add>(coefficients, rows, y, n);
    }
}

template <class T>
void add_rows(const T* coefficients, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < count; i += max_rows_per_pass) {
        run_pass<true>(coefficients + i, rows + i, std::min(max_rows_per_pass, count - i), y, n);
    }
}

template <class T>
void sum_rows(const T* coefficients, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    run_pass<false>(coefficients, rows, std::min(max_rows_per_pass, count), y, n);
    if (count <= max_rows_per_pass) return;
    add_rows(coefficients + max_rows_per_pass, rows + max_rows_per_pass, count - max_rows_per_pass, y, n);
}

const GramKernels* gram_table() {
    static constexpr GramKernels all{&dot, &add_scaled, &add_rows<double>, &sum_rows<double>, &sum_rows<float>};
    return &all;
}

}  // namespace rigcast::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::linalg {

RIGCAST_EXPORT(gram_table);

RIGCAST_KERNEL_TABLE(GramKernels, gram_kernels, gram_table)

}  // namespace rigcast::linalg
#endif
