#include "rigwright/linalg/gram_kernels.h"

#include <algorithm>

#include "rigwright/core/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigwright/linalg/gram_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rigwright/linalg/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace rigwright::linalg::HWY_NAMESPACE {

/// y = (`Add`: y +) sum of `Rows` rows times their factors, from `begin` to `end`.
template <int Rows, bool Add = true, class T>
HWY_INLINE void add_some(const T* factors, const T* const* rows, T* y, std::int64_t begin, std::int64_t end) {
    using Row = hn::Vec<hn::ScalableTag<T>>;
    constexpr hn::ScalableTag<T> tag;
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    Row a[Rows];
    const T* row[Rows];
    for (int p = 0; p < Rows; ++p) {
        a[p] = hn::Set(tag, factors[p]);
        row[p] = rows[p];
    }
    std::int64_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
        Row sum = Add ? hn::LoadU(tag, y + i) : hn::Zero(tag),
            next = Add ? hn::LoadU(tag, y + i + lanes) : hn::Zero(tag);
        for (int p = 0; p < Rows; ++p) {
            sum = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i), sum);
            next = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i + lanes), next);
        }
        hn::StoreU(sum, tag, y + i);
        hn::StoreU(next, tag, y + i + lanes);
    }
    for (; i + lanes <= end; i += lanes) {
        Row sum = Add ? hn::LoadU(tag, y + i) : hn::Zero(tag);
        for (int p = 0; p < Rows; ++p) sum = hn::MulAdd(a[p], hn::LoadU(tag, row[p] + i), sum);
        hn::StoreU(sum, tag, y + i);
    }
    for (; i < end; ++i) {
        T sum = Add ? y[i] : T{0};
        for (int p = 0; p < Rows; ++p) sum += factors[p] * row[p][i];
        y[i] = sum;
    }
}

template <bool Add, class T>
void add_up_to_eight(const T* factors, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    switch (count) {
        case 1:
            return add_some<1, Add>(factors, rows, y, 0, n);
        case 2:
            return add_some<2, Add>(factors, rows, y, 0, n);
        case 3:
            return add_some<3, Add>(factors, rows, y, 0, n);
        case 4:
            return add_some<4, Add>(factors, rows, y, 0, n);
        case 5:
            return add_some<5, Add>(factors, rows, y, 0, n);
        case 6:
            return add_some<6, Add>(factors, rows, y, 0, n);
        case 7:
            return add_some<7, Add>(factors, rows, y, 0, n);
        case 8:
            return add_some<8, Add>(factors, rows, y, 0, n);
    }
}

template <class T>
void add_rows(const T* factors, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    for (std::int64_t i = 0; i < count; i += 8) {
        add_up_to_eight<true>(factors + i, rows + i, std::min<std::int64_t>(8, count - i), y, n);
    }
}

template <class T>
void sum_rows(const T* factors, const T* const* rows, std::int64_t count, T* y, std::int64_t n) {
    add_up_to_eight<false>(factors, rows, std::min<std::int64_t>(8, count), y, n);
    if (count > 8) add_rows(factors + 8, rows + 8, count - 8, y, n);
}

const GramKernels* gram_table() {
    static constexpr GramKernels all{&dot, &add_scaled, &add_rows<double>, &sum_rows<double>, &sum_rows<float>};
    return &all;
}

}  // namespace rigwright::linalg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigwright::linalg {

HWY_EXPORT(gram_table);

RIGWRIGHT_KERNEL_TABLE(GramKernels, gram_kernels, gram_table)

}  // namespace rigwright::linalg
#endif
