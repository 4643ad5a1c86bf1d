#include "rigcast/rig/restricted.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::rig {
namespace {

/// A vertex of the restricted rig and where the whole rig stores its offsets.
struct Member {
    std::int32_t vertex;  // in the restricted rig
    std::int64_t group;
    std::int64_t index;  // in the group
};

/// The columns that move a group: words of bits.
using Columns = std::vector<std::int32_t>;

/// The groups of the restricted rig per window, by the columns that move them.
std::vector<std::map<Columns, std::vector<Member>>> regroup(const GroupedColumns& grouped,
                                                            View<const std::int32_t, 1> vertices,
                                                            std::int64_t num_vertices) {
    const std::int64_t windows =
        (vertices.extent(0) + GroupedColumns::vertices_per_window - 1) / GroupedColumns::vertices_per_window;
    const RestrictedPlaces places(vertices, num_vertices);
    std::vector<std::map<Columns, std::vector<Member>>> result(static_cast<std::size_t>(windows));
    for (std::int64_t g = 0; g < grouped.first_group(grouped.num_windows()); ++g) {
        const GroupedColumns::Group group = grouped.group(g);
        const Columns columns(group.columns, group.columns + grouped.num_words());
        for (std::int64_t i = 0; i < group.size; ++i) {
            for (const std::int32_t place : places.of(group.vertex[i])) {
                result[place / GroupedColumns::vertices_per_window][columns].push_back({place, g, i});
            }
        }
    }
    for (auto& window : result) {
        for (auto& [columns, members] : window) {
            std::sort(members.begin(), members.end(),
                      [](const Member& a, const Member& b) { return a.vertex < b.vertex; });
        }
    }
    return result;
}

/// Appends the values of a restricted group, one row per column that moves it. All members come from groups with the
/// same columns, so that their rows correspond.
template <class Value>
void append_rows(const GroupedColumns& grouped, const Value* values, const std::vector<Member>& members,
                 std::vector<Value>& out) {
    const std::int64_t first = members.front().group;
    const std::int64_t rows = grouped.num_values(first) / (3 * grouped.group(first).size);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (const Member& member : members) {
            const GroupedColumns::Group group = grouped.group(member.group);
            const Value* from = values + group.data + 3 * (row * group.size + member.index);
            out.insert(out.end(), from, from + 3);
        }
    }
}

template <class T>
void add_list(TensorFile& file, const char* name, const std::vector<T>& list) {
    file.add(name, {static_cast<std::int64_t>(list.size())}, list.data());
}

}  // namespace

std::shared_ptr<Deformer> BlendshapeRig::do_restricted(View<const std::int32_t, 1> vertices) const {
    TensorFile result = restricted_tensors(character(), vertices, {"blendshape.group.", "blendshape.delta"});
    std::vector<std::int32_t> offset{0};
    std::vector<std::int32_t> vertex;
    std::vector<std::int32_t> words;
    std::vector<float> float_values;
    std::vector<std::int16_t> int16_values;
    for (const auto& window : regroup(grouped_, vertices, character().num_vertices())) {
        for (const auto& [columns, members] : window) {
            for (const Member& member : members) vertex.push_back(member.vertex);
            offset.push_back(static_cast<std::int32_t>(vertex.size()));
            words.insert(words.end(), columns.begin(), columns.end());
            if (grouped_.is_int16()) {
                append_rows(grouped_, grouped_.int16_values(), members, int16_values);
            } else {
                append_rows(grouped_, grouped_.float_values(), members, float_values);
            }
        }
    }
    add_list(result, "blendshape.group.offset", offset);
    add_list(result, "blendshape.group.vertex", vertex);
    result.add("blendshape.group.columns", {static_cast<std::int64_t>(offset.size()) - 1, grouped_.num_words()},
               words.data());
    if (grouped_.is_int16()) {
        std::vector<std::int32_t> pairs((int16_values.size() + 1) / 2);
        std::copy_n(reinterpret_cast<const char*>(int16_values.data()), int16_values.size() * sizeof(std::int16_t),
                    reinterpret_cast<char*>(pairs.data()));
        add_list(result, "blendshape.delta16", pairs);
    } else {
        add_list(result, "blendshape.delta", float_values);
    }
    return std::make_shared<BlendshapeRig>(std::make_shared<const TensorFile>(std::move(result)));
}

}  // namespace rigcast::rig
