#include "rigcast/rig/blendshapes/grouped_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"

namespace rigcast::rig {
namespace {

std::int64_t num_rows(const std::int32_t* columns, std::int64_t words) {
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < words; ++i) rows += std::popcount(static_cast<std::uint32_t>(columns[i]));
    return rows;
}

}  // namespace

GroupedColumns::GroupedColumns(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_columns)
    : num_columns_(num_columns) {
    read_groups(tensors, num_vertices);
    read_values(tensors);
}

void GroupedColumns::read_groups(const TensorFile& tensors, std::int64_t num_vertices) {
    columns_ = tensors.get<std::int32_t, 2>("blendshape.group.columns", {-1, (num_columns_ + 31) / 32});
    vertex_ = tensors.get<std::int32_t, 1>("blendshape.group.vertex", {-1});
    const std::int64_t groups = columns_.extent(0);
    const std::int64_t windows = (num_vertices + vertices_per_window - 1) / vertices_per_window;
    offset_ = read_offsets(tensors, "blendshape.group.offset", groups, vertex_.extent(0));
    const int bits_of_last_word = static_cast<int>(num_columns_ % 32);  // 0: all
    data_.assign(1, 0);
    for (std::int64_t g = 0; g < groups; ++g) {
        if (bits_of_last_word != 0 &&
            static_cast<std::uint32_t>(columns_(g, num_words() - 1)) >> bits_of_last_word != 0) {
            throw bad_argument("load", "blendshape.group.columns of group " + std::to_string(g),
                               "beyond the last column", "bits below " + std::to_string(num_columns_));
        }
        const std::int64_t window = window_of(g, num_vertices);
        if (window + 1 < static_cast<std::int64_t>(window_group_.size())) {
            throw bad_argument("load", "blendshape.group.vertex of group " + std::to_string(g),
                               "in a window before that of the last group", "in ascending windows");
        }
        window_group_.resize(window + 1, static_cast<std::int32_t>(g));
        const std::int64_t values = 3 * (offset_(g + 1) - offset_(g)) * num_rows(columns_.row(g), num_words());
        data_.push_back(data_.back() + values);
        max_values_per_group_ = std::max(max_values_per_group_, values);
    }
    window_group_.resize(windows + 1, static_cast<std::int32_t>(groups));
    find_unmoved(num_vertices);
}

/// The window of all vertices of group g. Throws ArgumentError if they lie in several, or there are none.
std::int64_t GroupedColumns::window_of(std::int64_t g, std::int64_t num_vertices) const {
    const std::string name = "blendshape.group.offset at group " + std::to_string(g);
    if (offset_(g) == offset_(g + 1)) throw bad_argument("load", name, "empty", "one vertex or more");
    for (std::int64_t i = offset_(g); i < offset_(g + 1); ++i) {
        if (vertex_(i) >= 0 && vertex_(i) < num_vertices) continue;
        throw bad_argument("load", "blendshape.group.vertex",
                           "holding " + std::to_string(vertex_(i)) + " at " + std::to_string(i),
                           "vertices below " + std::to_string(num_vertices));
    }
    const std::int64_t window = vertex_(offset_(g)) / vertices_per_window;
    for (std::int64_t i = offset_(g); i < offset_(g + 1); ++i) {
        if (vertex_(i) / vertices_per_window != window)
            throw bad_argument("load", name, "across windows", "a group inside a window");
    }
    return window;
}

/// Throws ArgumentError if a vertex is in two groups.
void GroupedColumns::find_unmoved(std::int64_t num_vertices) {
    std::vector<bool> moved(static_cast<std::size_t>(num_vertices));
    for (const std::int32_t v : vertex_) {
        if (moved[v]) {
            throw bad_argument("load", "blendshape.group.vertex", "holding " + std::to_string(v) + " twice",
                               "each vertex at most once");
        }
        moved[v] = true;
    }
    for (std::int64_t v = 0; v < num_vertices; ++v) {
        const bool begins = v % vertices_per_window == 0;
        if (begins) window_unmoved_.push_back(static_cast<std::int32_t>(unmoved_.size()));
        if (moved[v]) continue;
        if (begins || moved[v - 1]) unmoved_.push_back({static_cast<std::int32_t>(v), 0});
        ++unmoved_.back().count;
    }
    window_unmoved_.push_back(static_cast<std::int32_t>(unmoved_.size()));
    unmoved_.shrink_to_fit();
}

void GroupedColumns::read_values(const TensorFile& tensors) {
    const std::int64_t count = data_.back();
    if (!tensors.contains("blendshape.delta16")) {
        float_ = tensors.get<float, 1>("blendshape.delta", {count}).data();
        return;
    }
    int16_ = reinterpret_cast<const std::int16_t*>(
        tensors.get<std::int32_t, 1>("blendshape.delta16", {(count + 1) / 2}).data());
    scale_ = tensors.get<float, 1>("blendshape.scale", {num_columns_});
    if (std::any_of(scale_.begin(), scale_.end(), [](float x) { return x < 0.0f; })) {
        throw bad_argument("load", "blendshape.scale", "negative somewhere", "zero or more");
    }
}

double GroupedColumns::largest_offset() const {
    float largest = 0.0f;
    if (int16_ != nullptr) {
        for (const float scale : scale_) largest = std::max(largest, scale);
        return 32768.0 * largest;  // the largest magnitude of an int16
    }
    for (std::int64_t i = 0; i < data_.back(); ++i) largest = std::max(largest, std::abs(float_[i]));
    return largest;
}

void GroupedColumns::column(std::int64_t n, View<float, 2> delta) const {
    std::fill(delta.begin(), delta.end(), 0.0f);
    std::vector<std::uint32_t> chosen(static_cast<std::size_t>(num_words()));
    chosen[n / 32] = std::uint32_t{1} << (n % 32);
    std::vector<std::int64_t> begin(static_cast<std::size_t>(row_list_size()));
    std::vector<std::int32_t> listed(begin.size());
    for (std::int64_t g = 0; g < columns_.extent(0); ++g) {
        const Group members = group(g);
        if (rows(members, chosen.data(), begin.data(), listed.data()).num_rows == 0) continue;
        for (std::int64_t i = 0; i < 3 * members.size; ++i) {
            const std::int64_t at = members.data + begin[0] + i;
            delta(members.vertex[i / 3], i % 3) = int16_ ? static_cast<float>(int16_[at]) * scale(n) : float_[at];
        }
    }
}

std::int64_t GroupedColumns::num_bytes() const {
    const std::size_t bytes = data_.size() * sizeof(data_[0]) + unmoved_.size() * sizeof(unmoved_[0]) +
                              (window_group_.size() + window_unmoved_.size()) * sizeof(window_group_[0]);
    return static_cast<std::int64_t>(bytes);
}

}  // namespace rigcast::rig
