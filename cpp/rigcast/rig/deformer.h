#pragma once
#include <limits>
#include <memory>
#include <string>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/character.h"
#include "rigcast/rig/session.h"

namespace rigcast::rig {

class Linearizer;

/// A forward model, learned or analytic: maps poses (T, C) to vertices (T, V, 3). T is the number of frames.
///
/// J below is the Jacobian of the 3 V coordinates with respect to the C columns of a pose. At a kink (a corner of a
/// tent) it is the one-sided derivative that the model documents. Threads: threads <= 0 means all processors. Results
/// do not depend on the number of threads. A model is immutable, and all members are safe to call from several threads
/// at once.
///
/// Example: the vertices of a motion.
/// ```cpp
/// const auto model = make_model(std::make_shared<const TensorFile>(TensorFile::read("hero.safetensors")));
/// const std::int64_t vertices = model->character().num_vertices(), columns = model->character().num_controls();
/// std::vector<float> poses(frames * columns);  // to be filled: rows are frames
/// std::vector<float> result(frames * vertices * 3);
/// model->evaluate({poses.data(), {frames, columns}}, {result.data(), {frames, vertices, 3}}, 0);
/// ```
class Deformer {
public:
    virtual ~Deformer() = default;
    Deformer(const Deformer&) = delete;
    Deformer& operator=(const Deformer&) = delete;

    const Character& character() const { return character_; }

    /// Writes the vertices (T, V, 3), all finite. Throws ArgumentError if a shape is wrong, or a pose has a value that
    /// is not finite, beyond pose_limit(), or so large that vertices overflow.
    void evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const;
    /// Vector-Jacobian product: writes J^T cotangents (T, C), the gradient of sum(vertices * cotangents) with respect
    /// to the poses. Throws ArgumentError if a shape is wrong, check_poses refuses a pose, a cotangent is not finite,
    /// or a gradient overflows float32.
    void vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients, int threads) const;
    /// Jacobian-vector product: writes J tangents (T, V, 3), the derivative of the vertices along one direction (C) per
    /// frame. Throws ArgumentError as vjp.
    void jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives, int threads) const;
    /// Writes J (T, 3 V, C), with rows x0 y0 z0 x1 ... Meant for restricted models: it has 3 V C numbers per frame.
    /// Throws ArgumentError as jvp.
    void jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    /// Evaluates and differentiates poses one by one, for least squares. Meant for restricted models, which must
    /// outlive it.
    virtual std::unique_ptr<Linearizer> linearizer() const;
    /// A model of the given M vertices only, in that order (repeats allowed), with the same pose columns.
    /// Guarantee: its vertices have the same bytes as this model's. It can be saved, restricted again, and costs only
    /// what these vertices need. Its faces are those whose corners are all among the vertices.
    /// Throws ArgumentError if an index is out of range or M = 0.
    std::shared_ptr<Deformer> restricted(View<const std::int32_t, 1> vertices) const;
    /// Writes the confidences (T), in [0, 1]; see Confidence. Throws ArgumentError as evaluate.
    void confidence(View<const float, 2> poses, View<float, 1> confidences) const;
    /// Writes which poses (T) lie outside the training poses; see Confidence. Throws ArgumentError as evaluate.
    void out_of_range(View<const float, 2> poses, View<bool, 1> flags) const;
    /// The largest magnitude of a pose value that the model accepts.
    virtual float pose_limit() const { return std::numeric_limits<float>::max(); }
    /// Throws ArgumentError, which names `function` and `argument`, if the width is wrong, or a value is not finite or
    /// beyond pose_limit().
    void check_poses(const char* function, View<const float, 2> poses, const char* argument = "poses") const;
    /// Writes the model file, which loads as the same model. Throws ArgumentError; see write_file.
    void save(const std::string& path) const { character_.tensors->write(path); }

protected:
    explicit Deformer(std::shared_ptr<const TensorFile> tensors) : character_(std::move(tensors)) {}
    /// The checks of evaluate, vjp and jvp: poses (T, C), vertices (T, V, 3).
    void check_arguments(const char* function, const char* argument, View<const float, 2> poses,
                         View<const float, 3> vertices) const;

private:
    friend class Session;

    // The work: arguments are checked, results are checked by the caller.
    virtual void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const = 0;
    virtual void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                        int threads) const = 0;
    virtual void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                        int threads) const = 0;
    /// Default: one jvp per column or one vjp per coordinate, whichever are fewer.
    virtual void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    void jacobian_by_columns(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    void jacobian_by_rows(View<const float, 2> poses, View<float, 3> jacobians, int threads) const;
    /// Makes the restricted model from checked indices. See restricted_tensors.
    virtual std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const = 0;
    /// The cache of a session. Default: none; every pose is evaluated in full.
    virtual std::unique_ptr<SessionState> new_session_state() const;

    Character character_;
};

}  // namespace rigcast::rig
