#pragma once
#include <memory>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::rig {

class Deformer;

/// What a kind of model keeps between the poses of a session.
class SessionState {
public:
    virtual ~SessionState() = default;
    /// Brings the vertices (3 V) from those of the pose `before` (C) to those of `pose`. `before` is null at the first
    /// pose and after an exception: then nothing kept may be used.
    virtual void update(const float* pose, const float* before, float* vertices) = 0;
};

/// Evaluates one pose after another and skips what did not change since the last one: a posing tool turns one joint at
/// a time. The vertices have the bytes of Deformer::evaluate. For one thread; the sessions of a model are independent
/// of each other.
class Session {
public:
    explicit Session(std::shared_ptr<const Deformer> model);

    const Deformer& model() const { return *model_; }
    /// Writes the vertices (V, 3) of a pose (C). Throws ArgumentError as Deformer::evaluate.
    void evaluate(View<const float, 1> pose, View<float, 2> vertices);

private:
    std::shared_ptr<const Deformer> model_;
    std::unique_ptr<SessionState> state_;
    std::vector<float> pose_;  // the last one
    std::vector<float> vertices_;
    bool is_known_ = false;  // whether pose_ and vertices_ belong together
};

}  // namespace rigwright::rig
