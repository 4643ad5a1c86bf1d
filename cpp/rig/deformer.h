#pragma once
#include <limits>
#include <memory>
#include <string>

#include "core/tensor_file.h"
#include "core/view.h"
#include "rig/character.h"

namespace rigwright::rig {

/// A forward model: pose rows (T, C) to vertices (T, V, 3), learned or analytic. Immutable after
/// construction; every member is const and safe to call from several threads at once.
class Deformer {
public:
    virtual ~Deformer() = default;
    Deformer(const Deformer&) = delete;
    Deformer& operator=(const Deformer&) = delete;

    const Character& character() const { return character_; }

    /// Writes (T, V, 3) vertices. threads <= 0: all processors. Throws ArgumentError on a wrong width or a
    /// value that is not finite or beyond pose_limit(), or that makes vertices overflow: they are finite.
    void evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const;
    /// Writes J^T cotangents, (T, C): the gradient of sum(vertices * cotangents) with respect to the poses. Throws
    /// ArgumentError where it does not fit float32, too.
    void vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients, int threads) const;
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
    virtual void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const = 0;
    virtual void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                        int threads) const = 0;

    Character character_;
};

}  // namespace rigwright::rig
