#pragma once
#include <limits>
#include <memory>
#include <string>

#include "rigwright/core/tensor_file.h"
#include "rigwright/core/view.h"
#include "rigwright/rig/character.h"
#include "rigwright/rig/session.h"

namespace rigwright::rig {

/// A forward model: pose rows (T, C) to vertices (T, V, 3), learned or analytic. Immutable after construction. Every
/// member is const and safe to call from several threads at once. J is the Jacobian of the 3 V coordinates in the C
/// columns of a pose; at a kink (the corner of a tent) it is the one-sided derivative that the model states.
/// threads <= 0: all processors. Results do not depend on the number of threads.
class Deformer {
public:
    virtual ~Deformer() = default;
    Deformer(const Deformer&) = delete;
    Deformer& operator=(const Deformer&) = delete;

    const Character& character() const { return character_; }

    /// Writes (T, V, 3) vertices, all finite. Throws ArgumentError on a wrong width or a value that is not finite,
    /// beyond pose_limit(), or so large that vertices overflow.
    void evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const;
    /// Writes J^T cotangents, (T, C): the gradient of sum(vertices * cotangents) with respect to the poses. Throws
    /// ArgumentError on what check_poses refuses, and if a gradient does not fit float32.
    void vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients, int threads) const;
    /// Writes J tangents, (T, V, 3): the derivative of the vertices along one direction (C) per pose. Throws
    /// ArgumentError as vjp.
    void jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives, int threads) const;
    /// Writes J, (T, 3 V, C), rows x0 y0 z0 x1 ... Meant for restricted models: it has 3 V C numbers per pose. Throws
    /// ArgumentError as jvp.
    void jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    /// A model of the given M vertices alone, in that order (repeats allowed), with the same columns: its vertices have
    /// the bytes of this model's. It skips what these vertices do not need, and can be saved. Its faces are those whose
    /// corners are all among the vertices. Throws ArgumentError on an index out of range or M = 0.
    std::shared_ptr<Deformer> restricted(View<const std::int32_t, 1> vertices) const;
    /// Writes (T) confidences in [0, 1]; see Confidence.
    void confidence(View<const float, 2> poses, View<float, 1> confidences) const;
    /// The largest magnitude of a pose's values that a model takes.
    virtual float pose_limit() const { return std::numeric_limits<float>::max(); }
    /// Throws ArgumentError, in the name of `function`, on a wrong width or a value that is not finite or too large.
    void check_poses(const char* function, View<const float, 2> poses, const char* argument = "poses") const;
    /// Writes the model file; loading it gives the same model.
    void save(const std::string& path) const { character_.tensors->write(path); }

protected:
    explicit Deformer(std::shared_ptr<const TensorFile> tensors) : character_(std::move(tensors)) {}
    /// The checks of evaluate and vjp: poses (T, C), vertices (T, V, 3).
    void check_arguments(const char* function, const char* argument, View<const float, 2> poses,
                         View<const float, 3> vertices) const;

private:
    friend class Session;

    virtual void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const = 0;
    virtual void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                        int threads) const = 0;
    virtual void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                        int threads) const = 0;
    /// By default one jvp per column or one vjp per coordinate, whichever are fewer.
    virtual void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    void jacobian_by_columns(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    void jacobian_by_rows(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    /// Makes the restricted model; the indices are checked. See restricted_tensors.
    virtual std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const = 0;
    /// What a session keeps. By default nothing beyond the last pose and its vertices.
    virtual std::unique_ptr<SessionState> new_session_state() const;

    Character character_;
};

}  // namespace rigwright::rig
