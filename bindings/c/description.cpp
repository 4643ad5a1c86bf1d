#include "bindings/c/calls.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/ik/goals/unknowns.h"
#include "rigcast/rig/surface.h"

namespace rigcast::c {
namespace {

std::vector<rigcast_channel> channels_of(const rig::Channels& channels) {
    std::vector<rigcast_channel> found;
    for (const rig::Channel& channel : channels.list()) {
        found.push_back({channel.name.c_str(), rig::channel_kind_names[static_cast<std::size_t>(channel.kind)],
                         channel.unit(), channel.reason.c_str(), channel.low, channel.high, channel.rest, channel.joint,
                         channel.whole});
    }
    return found;
}

std::int64_t detail_segments(const rig::Deformer& model) {
    const auto* maps = dynamic_cast<const face::FaceMaps*>(&model);
    return maps == nullptr ? 0 : maps->num_refinements();
}

template <class T>
T* or_null(const std::vector<T>& list) {
    return list.empty() ? nullptr : const_cast<T*>(list.data());
}

template <class T, int Rank>
const T* or_null(View<const T, Rank> view) {
    return view.size() == 0 ? nullptr : view.data();
}

}  // namespace

std::vector<const char*> texts_of(const std::vector<std::string>& names) {
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    return texts;
}

}  // namespace rigcast::c

rigcast_model::rigcast_model(std::shared_ptr<const rigcast::rig::Deformer> shared) : model(std::move(shared)) {
    using namespace rigcast;
    const rig::Character& character = model->character();
    const Metadata& metadata = character.tensors->metadata();
    const rig::Surface surface = rig::read_surface(*character.tensors, character.num_vertices(), character.faces);
    const auto& skeleton = character.skeleton;
    if (metadata.contains("name")) name = metadata.text("name");
    up_axis = metadata.text("up_axis");
    rest_pose = character.rest_pose();
    part_list = surface.parts;
    material_list = surface.materials;
    columns = c::texts_of(character.control_names);
    joints = c::texts_of(skeleton.names());
    parts = c::texts_of(part_list);
    materials = c::texts_of(material_list);
    channels = c::channels_of(character.channels);

    rigcast_description& d = description;
    d.size = sizeof d;
    d.kind = character.kind.c_str();
    d.name = name.c_str();
    d.up_axis = up_axis.c_str();
    d.meters_per_unit = metadata.number("meters_per_unit");
    d.pose_limit = model->pose_limit();
    d.vertices = character.num_vertices();
    d.faces = character.faces.extent(0);
    d.joints = skeleton.num_joints();
    d.columns = character.num_controls();
    d.channels = character.channels.size();
    d.parts = std::ssize(part_list);
    d.materials = std::ssize(material_list);
    d.uvs = surface.uvs.extent(0);
    d.detail_segments = c::detail_segments(*model);
    d.rest_vertices = c::or_null(character.rest_vertices);
    d.face_corners = c::or_null(character.faces);
    d.rest_pose = c::or_null(rest_pose);
    d.column_ranges = c::or_null(character.control_ranges);
    d.column_names = c::or_null(columns);
    d.joint_names = c::or_null(joints);
    d.joint_parents = c::or_null(skeleton.parents());
    d.joint_rest = c::or_null(skeleton.rest());
    d.channel = c::or_null(channels);
    d.part_names = c::or_null(parts);
    d.vertex_parts = c::or_null(surface.vertex_parts);
    d.material_names = c::or_null(materials);
    d.face_materials = c::or_null(surface.face_materials);
    d.uv = c::or_null(surface.uvs);
    d.uv_corners = c::or_null(surface.uv_faces);
    d.metadata = character.tensors->metadata_text().c_str();
    d.channels_decide = ik::channels_decide(character) ? 1 : 0;
}

rigcast_status rigcast_describe(const rigcast_model* model, rigcast_description* description) {
    using namespace rigcast;
    return c::guarded([&] {
        const rigcast_model& from = c::object("model", model);
        const std::size_t size = c::size_of("describe", "description", description);
        std::memset(description, 0, size);
        std::memcpy(description, &from.description, std::min(size, sizeof(rigcast_description)));
        description->size = size;
    });
}
