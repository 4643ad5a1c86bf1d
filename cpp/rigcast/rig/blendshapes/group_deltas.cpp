#include "rigcast/rig/blendshapes/group_deltas.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "rigcast/core/parallel.h"
#include "rigcast/rig/blendshapes/grouped_columns.h"

namespace rigcast::rig {
namespace {

using DeltaColumns = std::vector<View<const float, 2>>;

/// The groups of one window or of several, as GroupedColumns describes them.
template <class T>
struct Groups {
    std::vector<std::int32_t> size;     // vertices of each group
    std::vector<std::int32_t> vertex;   // group by group
    std::vector<std::int32_t> columns;  // words of bits, group by group
    std::vector<T> values;              // group by group, row by row
};

/// Writes bits (size, words): bit n of row v is set if column n of `window` (N, size, 3) moves vertex v.
template <class T>
void mark_columns(const std::vector<T>& window, std::int64_t num_columns, std::int64_t size, std::int64_t words,
                  std::vector<std::int32_t>& bits) {
    bits.assign(static_cast<std::size_t>(size * words), 0);
    for (std::int64_t n = 0; n < num_columns; ++n) {
        for (std::int64_t v = 0; v < size; ++v) {
            const T* x = window.data() + (n * size + v) * 3;
            if (x[0] == T{0} && x[1] == T{0} && x[2] == T{0}) continue;
            auto& word = bits[static_cast<std::size_t>(v * words + n / 32)];
            word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | std::uint32_t{1} << (n % 32));
        }
    }
}

/// Groups of the vertices first to first + size - 1, whose offsets are `window` (N, size, 3).
template <class T>
Groups<T> group_window(const std::vector<T>& window, std::int64_t num_columns, std::int64_t first, std::int64_t size) {
    const std::int64_t words = (num_columns + 31) / 32;
    std::vector<std::int32_t> bits;
    mark_columns(window, num_columns, size, words, bits);
    const auto columns_of = [&](std::int32_t v) {
        return std::span(bits.data() + v * words, static_cast<std::size_t>(words));
    };
    const auto is_less = [&](std::int32_t a, std::int32_t b) {
        return std::lexicographical_compare(columns_of(a).begin(), columns_of(a).end(), columns_of(b).begin(),
                                            columns_of(b).end());
    };
    std::vector<std::int32_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), is_less);
    Groups<T> groups;
    for (auto begin = order.begin(); begin != order.end();) {
        const auto end = std::upper_bound(begin, order.end(), *begin, is_less);
        const auto common = columns_of(*begin);
        if (std::any_of(common.begin(), common.end(), [](std::int32_t word) { return word != 0; })) {
            groups.size.push_back(static_cast<std::int32_t>(end - begin));
            groups.columns.insert(groups.columns.end(), common.begin(), common.end());
            for (auto v = begin; v != end; ++v) groups.vertex.push_back(static_cast<std::int32_t>(first + *v));
            for (std::int64_t n = 0; n < num_columns; ++n) {
                if ((static_cast<std::uint32_t>(common[n / 32]) >> (n % 32) & 1) == 0) continue;
                for (auto v = begin; v != end; ++v) {
                    const T* x = window.data() + (n * size + *v) * 3;
                    groups.values.insert(groups.values.end(), x, x + 3);
                }
            }
        }
        begin = end;
    }
    return groups;
}

/// Groups of all windows. stored(n, x) is coordinate x of column n as it is stored.
template <class T, class Stored>
Groups<T> group(const DeltaColumns& columns, std::int64_t num_vertices, const Stored& stored) {
    const auto num_columns = static_cast<std::int64_t>(columns.size());
    const std::int64_t windows =
        (num_vertices + GroupedColumns::vertices_per_window - 1) / GroupedColumns::vertices_per_window;
    std::vector<Groups<T>> of_window(static_cast<std::size_t>(windows));
    parallel_for(windows, 1, 0, [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> window;
        for (std::int64_t w = begin; w < end; ++w) {
            const std::int64_t first = w * GroupedColumns::vertices_per_window;
            const std::int64_t size = std::min(GroupedColumns::vertices_per_window, num_vertices - first);
            window.resize(static_cast<std::size_t>(num_columns * size * 3));
            for (std::int64_t n = 0; n < num_columns; ++n) {
                const float* x = columns[n].row(first);
                std::transform(x, x + 3 * size, window.data() + n * size * 3, [&](float y) { return stored(n, y); });
            }
            of_window[w] = group_window(window, num_columns, first, size);
        }
    });
    Groups<T> all;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (Groups<T>& window : of_window) {
        append(all.size, window.size);
        append(all.vertex, window.vertex);
        append(all.columns, window.columns);
        append(all.values, window.values);
        window = {};
    }
    return all;
}

template <class T>
void add_groups(const Groups<T>& groups, std::int64_t num_columns, TensorFile& tensors) {
    std::vector<std::int32_t> offset{0};
    for (const std::int32_t size : groups.size) offset.push_back(offset.back() + size);
    const auto count = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    tensors.add("blendshape.group.offset", {count(offset)}, offset.data());
    tensors.add("blendshape.group.vertex", {count(groups.vertex)}, groups.vertex.data());
    tensors.add("blendshape.group.columns", {count(groups.size), (num_columns + 31) / 32}, groups.columns.data());
}

}  // namespace

void add_grouped(const DeltaColumns& columns, std::int64_t num_vertices, TensorFile& tensors) {
    const auto groups = group<float>(columns, num_vertices, [](std::int64_t, float x) { return x; });
    add_groups(groups, static_cast<std::int64_t>(columns.size()), tensors);
    tensors.add("blendshape.delta", {static_cast<std::int64_t>(groups.values.size())}, groups.values.data());
}

void add_grouped_int16(const DeltaColumns& columns, std::int64_t num_vertices, TensorFile& tensors) {
    constexpr float largest_int16 = 32767.0f;
    std::vector<float> scale;
    std::vector<float> divisor;  // the scale, or 1 for a column of zeros
    for (const View<const float, 2>& column : columns) {
        float largest = 0.0f;
        for (const float x : column) largest = std::max(largest, std::abs(x));
        scale.push_back(largest / largest_int16);
        divisor.push_back(scale.back() > 0.0f ? scale.back() : 1.0f);
    }
    auto groups = group<std::int16_t>(columns, num_vertices, [&](std::int64_t n, float x) {
        return static_cast<std::int16_t>(std::clamp(std::nearbyint(x / divisor[n]), -largest_int16, largest_int16));
    });
    add_groups(groups, static_cast<std::int64_t>(columns.size()), tensors);
    const std::size_t num_pairs = (groups.values.size() + 1) / 2;
    std::vector<std::int32_t> packed(num_pairs, 0);
    if (num_pairs > 0) std::memcpy(packed.data(), groups.values.data(), groups.values.size() * sizeof(std::int16_t));
    tensors.add("blendshape.delta16", {static_cast<std::int64_t>(num_pairs)}, packed.data());
    tensors.add("blendshape.scale", {static_cast<std::int64_t>(scale.size())}, scale.data());
}

}  // namespace rigcast::rig
