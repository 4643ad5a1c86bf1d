#include "rigcast/rig/restricted.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/body/matrix_storage.h"

namespace rigcast::body {
namespace {

/// The tensors of one set in the file of the whole model.
struct StoredSet {
    StoredSet(const TensorFile& source, std::int64_t set) : file(source), name(set_name(set)) {
        const auto offset = file.get<std::int32_t, 1>("sets.offset");
        const auto input = file.get<std::int32_t, 1>("inputs.offset");
        begin = offset(set);
        end = offset(set + 1);
        columns = {file.get<std::int32_t, 1>("inputs.column").data() + input(set),
                   {std::int64_t{input(set + 1)} - input(set)}};
        mean = file.get<float, 1>(name + "mean");
        basis = file.get<float, 2>(name + "basis");
    }

    const TensorFile& file;
    std::string name;
    std::int32_t begin;
    std::int32_t end;
    View<const std::int32_t, 1> columns;
    View<const float, 1> mean;
    View<const float, 2> basis;
};

/// A member of a set in the restricted model.
struct Member {
    std::int32_t vertex;  // of the restricted model
    std::int32_t row;     // in sets.vertex of the file
};

std::vector<Member> restricted_members(const StoredSet& set, const rig::RestrictedPlaces& places) {
    const auto vertex = set.file.get<std::int32_t, 1>("sets.vertex");
    std::vector<Member> members;
    for (std::int32_t row = set.begin; row < set.end; ++row) {
        for (const std::int32_t place : places.of(vertex(row))) members.push_back({place, row});
    }
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.vertex < b.vertex; });
    return members;
}

/// Writes the tensors of the restricted model's sets.
class SetWriter {
public:
    SetWriter(const TensorFile& source, TensorFile& result)
        : source_(source), result_(result), source_storage_(source), storage_(source_storage_) {
        storage_.int8_tensors.clear();
        storage_.float32_tensors.clear();
    }

    void add(const StoredSet& set, std::int32_t joint, const std::vector<Member>& members) {
        const auto weight = source_.get<float, 1>("sets.weight");
        const std::string name = set_name(static_cast<std::int64_t>(joint_.size()));
        const std::int64_t components = set.basis.extent(1);
        std::vector<float> mean;
        std::vector<float> basis;
        for (const Member& member : members) {
            vertex_.push_back(member.vertex);
            weight_.push_back(weight(member.row));
            const std::int64_t first = 3 * (std::int64_t{member.row} - set.begin);
            mean.insert(mean.end(), set.mean.data() + first, set.mean.data() + first + 3);
            basis.insert(basis.end(), set.basis.row(first), set.basis.row(first + 3));
        }
        const std::int64_t rows = static_cast<std::int64_t>(mean.size());
        result_.add(name + "mean", {rows}, mean.data());
        result_.add(name + "basis", {rows, components}, basis.data());
        if (storage_.name != "float32") storage_.float32_tensors.insert(name + "basis");
        copy_layers(set, name);
        joint_.push_back(joint);
        offset_.push_back(static_cast<std::int32_t>(vertex_.size()));
        column_.insert(column_.end(), set.columns.begin(), set.columns.end());
        input_offset_.push_back(static_cast<std::int32_t>(column_.size()));
    }

    /// How the restricted model stores the matrices written so far.
    const MatrixStorage& storage() const { return storage_; }

    void finish() {
        add_list("sets.joint", joint_);
        add_list("sets.offset", offset_);
        add_list("sets.vertex", vertex_);
        add_list("sets.weight", weight_);
        add_list("inputs.offset", input_offset_);
        add_list("inputs.column", column_);
    }

private:
    void copy_layers(const StoredSet& set, const std::string& name) {
        for (const char* layer :
             {"layer1.weight", "layer1.bias", "layer2.weight", "layer2.bias", "layer3.weight", "layer3.bias"}) {
            const auto found = source_.entries().find(set.name + layer);
            if (found == source_.entries().end()) continue;
            result_.add(name + layer, source_, found->second);
            if (source_storage_.int8_tensors.contains(set.name + layer)) storage_.int8_tensors.insert(name + layer);
            if (source_storage_.float32_tensors.contains(set.name + layer)) {
                storage_.float32_tensors.insert(name + layer);
            }
        }
    }

    template <class T>
    void add_list(const char* name, const std::vector<T>& list) {
        result_.add(name, {static_cast<std::int64_t>(list.size())}, list.data());
    }

    const TensorFile& source_;
    TensorFile& result_;
    MatrixStorage source_storage_;
    MatrixStorage storage_;
    std::vector<std::int32_t> joint_;
    std::vector<std::int32_t> offset_{0};
    std::vector<std::int32_t> vertex_;
    std::vector<std::int32_t> input_offset_{0};
    std::vector<std::int32_t> column_;
    std::vector<float> weight_;
};

}  // namespace

std::vector<float> BodyModel::basis_of(std::int64_t index) const {
    const TensorFile& source = *character().tensors;
    const Patch& patch = sets_[index].patch;
    const std::int64_t components = patch.components;
    const std::int32_t* const first =
        source.get<std::int32_t, 1>("sets.vertex").data() + source.get<std::int32_t, 1>("sets.offset")(index);
    std::vector<float> basis(static_cast<std::size_t>(3 * patch.members * components));
    std::vector<float> of_member(static_cast<std::size_t>(3 * components));
    for (int m = 0; m < patch.members; ++m) {
        const std::int64_t row = std::lower_bound(first, first + patch.members, patch.vertex[m]) - first;
        patch.read_basis(packed_, m, of_member.data());
        for (std::int64_t k = 0; k < components; ++k) {
            for (int axis = 0; axis < 3; ++axis) basis[(3 * row + axis) * components + k] = of_member[3 * k + axis];
        }
    }
    return basis;
}

/// A restricted model has the vertices of the whole one. Blocks of layers are the same; those of a basis would hold
/// other vertices, so the basis is float32, with the numbers that the whole model has in memory.
std::shared_ptr<rig::Deformer> BodyModel::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    TensorFile result = rig::restricted_tensors(character(), vertices, {"sets.", "inputs.", "set."});
    const rig::RestrictedPlaces places(vertices, character().num_vertices());
    SetWriter writer(source, result);
    for (std::size_t i = 0; i < sets_.size(); ++i) {
        const std::int64_t index = static_cast<std::int64_t>(i);
        StoredSet set(source, index);
        const std::vector<float> basis = basis_of(index);
        set.basis = {basis.data(), set.basis.extents()};
        const std::vector<Member> members = restricted_members(set, places);
        if (!members.empty()) writer.add(set, sets_[i].joint, members);
    }
    writer.finish();
    const bool is_plain = !source.metadata().contains("network_storage");
    return std::make_shared<BodyModel>(is_plain ? std::make_shared<const TensorFile>(std::move(result))
                                                : writer.storage().written(result));
}

}  // namespace rigcast::body
