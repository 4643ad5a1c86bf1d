#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/make_program.h"
#include "rigcast/cuda/products/tangent_kernels.h"
#include "rigcast/cuda/resident.h"
#include "rigcast/cuda/resident_state.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::cuda {
namespace {

void check_choices(const char* function, const rig::Deformer& model, const Choices& choices, std::int64_t num_frames) {
    const std::string& kind = model.character().kind;
    if (choices.prefix) {
        if (kind != "blendshape") {
            throw bad_argument(function, "prefix", "given for a model of kind '" + kind + "'",
                               "left out: blendshapes have prefixes");
        }
        rig::check_prefix(function, *choices.prefix, model.character().num_controls(), num_frames);
    }
    if (choices.detail.data() != nullptr) {
        const auto* maps = dynamic_cast<const face::FaceMaps*>(&model);
        if (maps == nullptr) {
            throw bad_argument(function, "detail", "given for a model of kind '" + kind + "'",
                               "left out: faces on deformation maps have refinements");
        }
        face::check_detail(function, choices.detail, num_frames, maps->num_refinements());
    }
}

void check_vertices(View<const float, 3> vertices) {
    const std::int64_t size = vertices.extent(1) * vertices.extent(2);
    std::atomic<bool> any = false;  // on one thread this would take as long as the copy
    parallel_for(vertices.extent(0), 1, 0, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) any = any || rig::overflows(vertices.row(t), size);
    });
    if (!any) return;
    for (std::int64_t t = 0; t < vertices.extent(0); ++t) rig::check_overflow("evaluate", t, vertices.row(t), size);
}

}  // namespace

ResidentModel::ResidentModel(std::shared_ptr<const rig::Deformer> model, const ResidentOptions& options)
    : Deformer(model->character().tensors), model_(std::move(model)), options_(options) {
    const DeviceScope scope;
    state_ = std::make_unique<State>(*model_, options_);
}

ResidentModel::~ResidentModel() = default;

std::int64_t ResidentModel::num_bytes() const {
    return state_->constants;
}

void ResidentModel::check(const char* function, std::int64_t num_frames, std::int64_t width,
                          const Choices& choices) const {
    if (width != character().num_controls()) {
        throw bad_argument(function, "poses", std::to_string(width) + " wide",
                           std::to_string(character().num_controls()) + " wide");
    }
    check_choices(function, *model_, choices, num_frames);
}

DeviceArray ResidentModel::new_vertices(const char* function, std::int64_t num_frames) const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(float));
    if (num_frames > most / state_->num_coordinates) {
        throw bad_argument(function, "poses", std::to_string(num_frames) + " rows",
                           "so few that their vertices fit memory");
    }
    const DeviceScope scope;
    const auto buffer = std::make_shared<Buffer<float>>();
    buffer->reserve(std::max<std::int64_t>(num_frames * state_->num_coordinates, 1));
    return {{buffer, buffer->data()}, {num_frames, character().num_vertices(), 3}};
}

void ResidentModel::run(const Source& poses, std::int64_t num_frames, const Target& vertices,
                        const Choices& choices) const {
    State& s = *state_;
    const std::lock_guard<std::mutex> turn(s.turn);
    const DeviceScope scope;
    const std::int64_t chunk = s.frames_per_chunk();
    if (s.is_few(num_frames) && choices.prefix == nullptr && choices.detail.data() == nullptr) {
        s.poses.reserve(State::most_few * s.num_controls);
        s.vertices.reserve(State::most_few * s.num_coordinates);
        s.evaluate_few(s.load(poses, 0, num_frames, s.poses), num_frames, s.results_on_device(vertices, 0, num_frames));
        s.deliver(vertices, 0, num_frames);
        s.machine.synchronize();
        return;
    }
    s.forget_launches();
    for (std::int64_t first = 0; first < num_frames; first += chunk) {
        const std::int64_t count = std::min(chunk, num_frames - first);
        const FrameBatch batch{first, count, s.load(poses, first, count, s.poses),
                               s.results_on_device(vertices, first, count), choices};
        s.program->prepare(batch);
        s.program->evaluate(batch);
        s.deliver(vertices, first, count);
    }
    s.machine.synchronize();
}

void ResidentModel::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int) const {
    run({poses.data(), false}, poses.extent(0), {vertices.data(), false}, {});
    check_vertices(vertices);
}

void ResidentModel::evaluate_with(View<const float, 2> poses, const Choices& choices, View<float, 3> vertices) const {
    check_arguments(choices.function(), "out", poses, vertices);
    check(choices.function(), poses.extent(0), poses.extent(1), choices);
    run({poses.data(), false}, poses.extent(0), {vertices.data(), false}, choices);
    check_vertices(vertices);
}

DeviceArray ResidentModel::evaluate_on_device(View<const float, 2> poses, const Choices& choices) const {
    const char* function = choices.function_on_device();
    check_poses(function, poses);
    check(function, poses.extent(0), poses.extent(1), choices);
    DeviceArray vertices = new_vertices(function, poses.extent(0));
    run({poses.data(), false}, poses.extent(0), {vertices.data.get(), true}, choices);
    return vertices;
}

DeviceArray ResidentModel::evaluate_on_device(const DeviceMatrix& poses, const Choices& choices) const {
    const char* function = choices.function_on_device();
    check(function, poses.rows, poses.columns, choices);
    DeviceArray vertices = new_vertices(function, poses.rows);
    run({poses.data, true}, poses.rows, {vertices.data.get(), true}, choices);
    return vertices;
}

void ResidentModel::evaluate_to_host(const DeviceMatrix& poses, View<float, 3> vertices, const Choices& choices) const {
    check(choices.function(), poses.rows, poses.columns, choices);
    check_shape<float, 3>(choices.function(), "out", vertices, {poses.rows, character().num_vertices(), 3});
    run({poses.data, true}, poses.rows, {vertices.data(), false}, choices);
    check_vertices(vertices);
}

void ResidentModel::evaluate_played(const PlayedFrames& frames, const DeviceArray& vertices,
                                    const Choices& choices) const {
    const char* function = choices.function_on_device();
    check(function, frames.count, character().num_controls(), choices);
    if (vertices.shape.size() != 3) throw bad_argument(function, "out", "not of rank 3", "(H, V, 3)");
    check_shape<float, 3>(function, "out", {nullptr, {vertices.shape[0], vertices.shape[1], vertices.shape[2]}},
                          {frames.count, character().num_vertices(), 3});
    run({nullptr, true, &frames}, frames.count, {vertices.data.get(), true}, choices);
}

void ResidentModel::evaluate_played(const PlayedFrames& frames, View<float, 3> vertices, const Choices& choices) const {
    check(choices.function(), frames.count, character().num_controls(), choices);
    check_shape<float, 3>(choices.function(), "out", vertices, {frames.count, character().num_vertices(), 3});
    run({nullptr, true, &frames}, frames.count, {vertices.data(), false}, choices);
    check_vertices(vertices);
}

void ResidentModel::do_vjp(View<const float, 2>, View<const float, 3>, View<float, 2>, int) const {
    throw bad_argument("vjp", "device", "'cuda', which has evaluate, jvp and jacobian", "'cpu'");
}

void ResidentModel::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                           int) const {
    State& s = *state_;
    const std::lock_guard<std::mutex> turn(s.turn);
    const DeviceScope scope;
    s.forget_launches();
    const Target target{derivatives.data(), false};
    const std::int64_t chunk = s.num_that_fit(s.program->floats_per_frame() + s.program->floats_per_tangent() +
                                              2 * s.num_controls + s.num_coordinates);
    for (std::int64_t first = 0; first < poses.extent(0); first += chunk) {
        const std::int64_t count = std::min(chunk, poses.extent(0) - first);
        s.program->linearize({first, count, s.load({poses.data(), false}, first, count, s.poses), nullptr});
        const float* directions = s.load({tangents.data(), false}, first, count, s.tangents);
        s.program->push_forward({count, {}, directions, s.results_on_device(target, first, count)});
        s.deliver(target, first, count);
    }
    s.machine.synchronize();
}

/// Queues the Jacobians of the `count` frames in `poses`: one tangent per frame and pose column.
void ResidentModel::State::queue_jacobians(std::int64_t count) {
    program->linearize({0, count, poses.data(), nullptr});
    const std::int64_t num_tangents = count * num_controls;
    const std::int64_t chunk = num_that_fit(program->floats_per_tangent() + num_controls + num_coordinates);
    tangents.reserve(std::min(chunk, num_tangents) * num_controls);
    vertices.reserve(std::min(chunk, num_tangents) * num_coordinates);
    jacobians.reserve(num_tangents * num_coordinates);
    for (std::int64_t first = 0; first < num_tangents; first += chunk) {
        const std::int64_t in_chunk = std::min(chunk, num_tangents - first);
        machine.for_each(in_chunk, num_controls, UnitTangents{first, num_controls, tangents.data()});
        program->push_forward({in_chunk, {first, num_controls}, tangents.data(), vertices.data()});
        machine.for_each(in_chunk, num_coordinates,
                         JacobianColumns{vertices.data(), num_coordinates, first, num_controls, jacobians.data()});
    }
}

void ResidentModel::do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int) const {
    State& s = *state_;
    const std::lock_guard<std::mutex> turn(s.turn);
    const DeviceScope scope;
    s.forget_launches();
    const std::int64_t size = s.num_coordinates * s.num_controls;
    const std::int64_t chunk = s.num_that_fit(s.program->floats_per_frame() + s.num_controls + size);
    for (std::int64_t first = 0; first < poses.extent(0); first += chunk) {
        const std::int64_t count = std::min(chunk, poses.extent(0) - first);
        s.load({poses.data(), false}, first, count, s.poses);
        s.queue_jacobians(count);
        s.machine.download(s.jacobians, count * size, jacobians.row(first));
    }
    s.machine.synchronize();
}

std::shared_ptr<rig::Deformer> ResidentModel::do_restricted(View<const std::int32_t, 1> vertices) const {
    return resident(model_->restricted(vertices), options_);
}

std::vector<double> ResidentModel::milliseconds(View<const float, 2> poses, std::int64_t frames_per_batch, int repeats,
                                                View<const float, 2> detail) const {
    State& s = *state_;
    check_shape<const float, 2>("milliseconds", "poses", poses, {-1, s.num_controls});
    const std::int64_t most = std::min(poses.extent(0), s.frames_per_chunk());
    if (frames_per_batch < 1 || frames_per_batch > most) {
        throw bad_argument("milliseconds", "batch", std::to_string(frames_per_batch),
                           "from 1 to " + std::to_string(most) + ", the poses given that fit the workspace");
    }
    const std::lock_guard<std::mutex> turn(s.turn);
    const DeviceScope scope;
    s.forget_launches();
    Buffer<float> all;
    s.machine.upload(poses.data(), poses.size(), all);
    const bool few = s.is_few(frames_per_batch) && detail.data() == nullptr;
    if (few) s.vertices.reserve(State::most_few * s.num_coordinates);
    float* vertices = s.results_on_device({nullptr, false}, 0, frames_per_batch);
    check_choices("milliseconds", *model_, {nullptr, detail}, 1);
    s.program->prepare({0, frames_per_batch, all.data(), vertices, {nullptr, detail}});
    const std::int64_t batches = poses.extent(0) / frames_per_batch;
    std::vector<double> times;
    constexpr int warm_up = 3;
    for (int i = 0; i < repeats + warm_up; ++i) {
        const float* frames = all.data() + i % batches * frames_per_batch * s.num_controls;
        const double time = s.machine.milliseconds([&] {
            if (few) {
                s.evaluate_few(frames, frames_per_batch, vertices);
            } else {
                s.program->evaluate({0, frames_per_batch, frames, vertices});
            }
        });
        if (i >= warm_up) times.push_back(time);
    }
    return times;
}

std::shared_ptr<ResidentModel> resident(std::shared_ptr<const rig::Deformer> model, const ResidentOptions& options) {
    return std::make_shared<ResidentModel>(std::move(model), options);
}

int dlpack_device_type() {
    return Machine::dlpack_device_type;
}

bool is_device_memory(const void* pointer) {
    return Machine::is_device_memory(pointer);
}

void wait_for_stream(std::uintptr_t stream) {
    const DeviceScope scope;
    Machine::wait_for_stream(stream);
}

}  // namespace rigcast::cuda
