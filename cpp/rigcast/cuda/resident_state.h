#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>

#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/machine/machine.h"
#include "rigcast/cuda/make_program.h"
#include "rigcast/cuda/resident.h"

/// What a ResidentModel has on the device. Only resident.cu includes this.
namespace rigcast::cuda {

/// Poses (T, C) to read: on the host, on the device, or of curves that are there.
struct ResidentModel::Source {
    const float* data;
    bool on_device;
    const PlayedFrames* played = nullptr;
};
/// Results (T, 3 V) to write, on the host or on the device.
struct ResidentModel::Target {
    float* data;
    bool on_device;
};

/// The program, and the working memory of the call that holds the lock.
struct ResidentModel::State {
    State(const rig::Deformer& model, const ResidentOptions& options)
        : num_controls(model.character().num_controls()),
          num_coordinates(3 * model.character().num_vertices()),
          workspace(options.workspace),
          libraries(options.libraries ? make_libraries_of(machine, model) : nullptr),
          program(make_program(machine, libraries.get(), model, options.dense)),
          constants(machine.uploaded_bytes()) {}

    /// Frames of `evaluate` that fit the workspace.
    std::int64_t frames_per_chunk() const {
        return num_that_fit(program->floats_per_frame() + num_controls + num_coordinates);
    }
    /// Frames or tangents that fit the workspace, with so many floats each; at least one.
    std::int64_t num_that_fit(std::int64_t floats) const {
        return std::max<std::int64_t>(workspace / (static_cast<std::int64_t>(sizeof(float)) * floats), 1);
    }

    /// Frames of a source on the device: in `staging` if they are not there already.
    const float* load(const Source& from, std::int64_t first, std::int64_t count, Buffer<float>& staging) {
        if (from.played != nullptr) return play(*from.played, first, count, staging);
        const float* frames = from.data + first * num_controls;
        if (from.on_device) return frames;
        machine.upload(frames, count * num_controls, staging);
        return staging.data();
    }
    const float* play(const PlayedFrames& frames, std::int64_t first, std::int64_t count, Buffer<float>& staging) {
        machine.upload(frames.key + first, count, keys);
        machine.upload(frames.part + first, count, parts);
        staging.reserve(count * num_controls);
        machine.for_each(count, num_controls,
                         CurvePoses{frames.keys, num_controls, keys.data(), parts.data(), staging.data()});
        return staging.data();
    }
    /// Device memory for the results of some frames: that of the target, or `vertices` if the target is on the host.
    float* results_on_device(const Target& to, std::int64_t first, std::int64_t count) {
        if (to.on_device) return to.data + first * num_coordinates;
        vertices.reserve(count * num_coordinates);
        return vertices.data();
    }
    /// Copies the results of some frames to a target on the host.
    void deliver(const Target& to, std::int64_t first, std::int64_t count) {
        if (!to.on_device) machine.download(vertices, count * num_coordinates, to.data + first * num_coordinates);
    }

    /// True for a batch of evaluate_few. Libraries may allocate memory at any call, which a recording must not.
    bool is_few(std::int64_t count) const {
        return count > 0 && count <= std::min(most_few, frames_per_chunk()) && libraries == nullptr;
    }
    /// Evaluates few frames, from the same memory to the same memory each time: a number of frames that comes again is
    /// recorded, and its launches start together. Poses and vertices are on the device.
    void evaluate_few(const float* from, std::int64_t count, float* to) {
        poses.reserve(most_few * num_controls);
        vertices.reserve(most_few * num_coordinates);
        const FrameBatch batch{0, count, poses.data(), vertices.data()};
        if (from != poses.data()) machine.copy(from, count * num_controls, poses.data());
        program->prepare(batch);
        const bool again = few_count == count && few_poses == poses.data() && few_vertices == vertices.data();
        if (again && launches == nullptr) launches = machine.record([&] { program->evaluate(batch); });
        if (again) {
            machine.run(*launches);
        } else {
            forget_launches();
            program->evaluate(batch);  // allocates what it needs, which a recording must not
            few_count = count;
            few_poses = poses.data();
            few_vertices = vertices.data();
        }
        if (to != vertices.data()) machine.copy(vertices.data(), count * num_coordinates, to);
    }
    /// To be called before a call that may move the program's memory.
    void forget_launches() {
        launches.reset();
        few_count = 0;
    }

    void queue_jacobians(std::int64_t count);

    static constexpr std::int64_t most_few = 16;  // frames; chosen, not tuned
    std::unique_ptr<Graph> launches;              // of a batch that came twice
    std::int64_t few_count = 0;                   // frames of the last call of evaluate_few, and its memory
    const float* few_poses = nullptr;
    const float* few_vertices = nullptr;

    std::mutex turn;
    Machine machine;
    std::int64_t num_controls;
    std::int64_t num_coordinates;          // 3 V
    std::int64_t workspace;                // bytes
    std::unique_ptr<Libraries> libraries;  // null if not chosen
    std::unique_ptr<DeviceProgram> program;
    std::int64_t constants;  // bytes of the program
    Buffer<std::int32_t> keys;
    Buffer<float> parts;
    Buffer<float> poses;
    Buffer<float> tangents;
    Buffer<float> vertices;
    Buffer<float> jacobians;
};

}  // namespace rigcast::cuda
