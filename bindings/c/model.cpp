#include <span>

#include "bindings/c/calls.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/character.h"
#include "rigcast/rig/stated/error_bound.h"
#include "rigcast/synthesis/model/read_synthesizer.h"

namespace c = rigcast::c;
using rigcast::TensorFile;
using rigcast::View;

namespace {

/// The model of a file that `read` reads. Throws BadFile with the sentence of what is wrong with it.
template <class Read>
std::unique_ptr<rigcast_model> model_of(Read&& read) {
    try {
        auto file = std::make_shared<const TensorFile>(read());
        if (rigcast::rig::model_kind(*file) == "synthesis") {
            return std::make_unique<rigcast_model>(rigcast::synthesis::read_synthesizer(*file, 0),
                                                   file->metadata_text());
        }
        return std::make_unique<rigcast_model>(rigcast::make_model(std::move(file)));
    } catch (const rigcast::ArgumentError& error) {
        throw c::BadFile(error.what());
    }
}

/// A model, and the sizes of the arrays of a call.
struct ModelCall {
    ModelCall(const char* name, const rigcast_model* handle, std::int64_t num_frames)
        : function(name), model(*c::object("model", handle).model), frames(num_frames) {}

    template <class T>
    View<T, 2> columns(const char* argument, T* data, std::int64_t count) const {
        return c::array<T, 2>(function, argument, data, count, {frames, model.character().num_controls()});
    }
    template <class T>
    View<T, 2> channels(T* data, std::int64_t count) const {
        return c::array<T, 2>(function, "channels", data, count, {frames, model.character().channels.size()});
    }
    template <class T>
    View<T, 3> points(const char* argument, T* data, std::int64_t count) const {
        return c::array<T, 3>(function, argument, data, count, {frames, model.character().num_vertices(), 3});
    }

    const char* function;
    const rigcast::rig::Deformer& model;
    std::int64_t frames;
};

}  // namespace

rigcast_status rigcast_open(const char* path, rigcast_model** model) {
    return c::guarded([&] {
        rigcast_model*& out = c::place("model", model);
        if (path == nullptr) throw rigcast::bad_argument("open", "path", "NULL", "a path");
        out = c::handed_out(model_of([&] { return TensorFile::read(path); }));
    });
}

rigcast_status rigcast_parse(const void* bytes, size_t size, const char* name, rigcast_model** model) {
    return c::guarded([&] {
        rigcast_model*& out = c::place("model", model);
        if (bytes == nullptr) throw rigcast::bad_argument("parse", "bytes", "NULL", "the bytes of a model file");
        const std::span<const std::byte> content(static_cast<const std::byte*>(bytes), size);
        out = c::handed_out(model_of([&] { return TensorFile::parse(content, name == nullptr ? "model" : name); }));
    });
}

rigcast_status rigcast_save(const rigcast_model* model, const char* path) {
    return c::guarded([&] {
        const rigcast::rig::Deformer& saved = *c::object("model", model).model;
        if (path == nullptr) throw rigcast::bad_argument("save", "path", "NULL", "a path");
        saved.save(path);
    });
}

void rigcast_model_free(rigcast_model* model) {
    c::free_object(model);
}

rigcast_status rigcast_poses(const rigcast_model* model, int64_t frames, const double* channels, int64_t channel_count,
                             float* poses, int64_t pose_count) {
    return c::guarded([&] {
        const ModelCall call("poses", model, frames);
        const auto to = call.columns("poses", poses, pose_count);
        call.model.character().channels.poses(call.channels(channels, channel_count), to);
    });
}

rigcast_status rigcast_channels(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                                double* channels, int64_t channel_count, float* residuals, int64_t residual_count) {
    return c::guarded([&] {
        const ModelCall call("channels", model, frames);
        const auto from = call.columns("poses", poses, pose_count);
        const auto to = call.channels(channels, channel_count);
        auto left = c::given_array<1>("channels", "residuals", rigcast_floats_out{residuals, residual_count}, {frames});
        std::vector<float> unwanted(left.size() == frames ? 0 : static_cast<std::size_t>(frames));
        if (!unwanted.empty()) left = {unwanted.data(), {frames}};
        std::vector<float> found(static_cast<std::size_t>(to.size()));
        call.model.character().channels.channels(from, {found.data(), to.extents()}, left);
        std::copy(found.begin(), found.end(), to.begin());
    });
}

rigcast_status rigcast_evaluate(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                                float* vertices, int64_t vertex_count, int32_t threads) {
    return c::guarded([&] {
        const ModelCall call("evaluate", model, frames);
        rigcast::check_threads("evaluate", threads);
        const auto from = call.columns("poses", poses, pose_count);
        call.model.evaluate(from, call.points("vertices", vertices, vertex_count), threads);
    });
}

rigcast_status rigcast_vjp(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                           const float* cotangents, int64_t cotangent_count, float* gradients, int64_t gradient_count,
                           int32_t threads) {
    return c::guarded([&] {
        const ModelCall call("vjp", model, frames);
        rigcast::check_threads("vjp", threads);
        const auto from = call.columns("poses", poses, pose_count);
        const auto seeds = call.points("cotangents", cotangents, cotangent_count);
        call.model.vjp(from, seeds, call.columns("gradients", gradients, gradient_count), threads);
    });
}

rigcast_status rigcast_jvp(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                           const float* tangents, int64_t tangent_count, float* derivatives, int64_t derivative_count,
                           int32_t threads) {
    return c::guarded([&] {
        const ModelCall call("jvp", model, frames);
        rigcast::check_threads("jvp", threads);
        const auto from = call.columns("poses", poses, pose_count);
        const auto along = call.columns("tangents", tangents, tangent_count);
        call.model.jvp(from, along, call.points("derivatives", derivatives, derivative_count), threads);
    });
}

rigcast_status rigcast_confidence(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                                  float* confidences, int64_t confidence_count) {
    return c::guarded([&] {
        const ModelCall call("confidence", model, frames);
        const auto from = call.columns("poses", poses, pose_count);
        call.model.confidence(from,
                              c::array<float, 1>("confidence", "confidences", confidences, confidence_count, {frames}));
    });
}

rigcast_status rigcast_error_bound(const rigcast_model* model, int64_t frames, const float* poses, int64_t pose_count,
                                   float* bounds, int64_t bound_count, int32_t threads) {
    return c::guarded([&] {
        const ModelCall call("error_bound", model, frames);
        rigcast::check_threads("error_bound", threads);
        const auto from = call.columns("poses", poses, pose_count);
        const std::int64_t vertices = call.model.character().num_vertices();
        rigcast::rig::error_bound(call.model, from,
                                  c::array<float, 2>("error_bound", "bounds", bounds, bound_count, {frames, vertices}),
                                  threads);
    });
}

rigcast_status rigcast_restrict(const rigcast_model* model, const int32_t* vertices, int64_t count,
                                rigcast_model** restricted) {
    return c::guarded([&] {
        rigcast_model*& out = c::place("restricted", restricted);
        const auto& whole = *c::object("model", model).model;
        const auto chosen = c::array<const int32_t, 1>("restricted", "vertices", vertices, count, {count});
        out = c::handed_out(std::make_unique<rigcast_model>(whole.restricted(chosen)));
    });
}
