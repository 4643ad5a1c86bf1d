#pragma once
#include <memory>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::rig {

class Deformer;

/// The cache of a session; each kind of model has its own.
class SessionState {
public:
    virtual ~SessionState() = default;
    /// Updates the vertices (V, 3) from those of the previous pose to those of `pose` (C). `previous` (C) is null at
    /// the first pose and after an exception: then `vertices` and the cache are invalid and everything is computed.
    virtual void update(const float* pose, const float* previous, float* vertices) = 0;
    /// Changes the detail for the updates that follow; see Session::set_detail. Default: throws ArgumentError.
    virtual void set_detail(View<const float, 1> detail);
};

/// Evaluates one pose after another and recomputes only what depends on changed values, as in a posing tool that turns
/// one joint at a time. Guarantee: the vertices have the bytes of Deformer::evaluate. Threads: a session is for one
/// thread at a time; a model may have several sessions.
///
/// Example: a slider that moves.
/// ```cpp
/// const auto model = make_model(std::make_shared<const TensorFile>(TensorFile::read("hero.safetensors")));
/// rig::Session session(model);
/// std::vector<float> pose(model->character().num_controls());
/// std::vector<float> result(3 * model->character().num_vertices());
/// for (float& value : pose) {
///     value = 0.5f;
///     session.evaluate({pose.data(), {std::ssize(pose)}}, {result.data(), {std::ssize(result) / 3, 3}});
/// }
/// ```
class Session {
public:
    explicit Session(std::shared_ptr<const Deformer> model);

    const Deformer& model() const { return *model_; }
    /// Writes the vertices (V, 3) of a pose (C). Throws ArgumentError as Deformer::evaluate.
    void evaluate(View<const float, 1> pose, View<float, 2> vertices);
    /// Sets the detail (R) of the evaluations that follow, per refinement segment of a model on deformation maps, in
    /// [0, 1]: see face::FaceMaps::evaluate_detail, whose bytes they have. It is 1 at first. Throws ArgumentError if
    /// the shape is wrong, a value is outside of [0, 1], or the kind of model has no detail; the session stays as it
    /// is.
    void set_detail(View<const float, 1> detail);

private:
    std::shared_ptr<const Deformer> model_;
    std::unique_ptr<SessionState> state_;
    std::vector<float> pose_;  // the previous one
    std::vector<float> vertices_;
    bool is_valid_ = false;        // the cache is that of pose_
    bool has_new_detail_ = false;  // vertices_ are those of an earlier detail
};

}  // namespace rigcast::rig
