#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/view.h"
#include "rigcast/cuda/machine/device_array.h"
#include "rigcast/cuda/products/choices.h"
#include "rigcast/cuda/products/curves.h"
#include "rigcast/rig/deformer.h"

namespace rigcast::cuda {

struct ResidentOptions {
    /// Bytes that a chunk of frames may use beside the model's constants. One frame always runs. Larger chunks fill the
    /// device better; chosen, not tuned.
    std::int64_t workspace = std::int64_t{256} << 20;
    /// For blendshapes: store all offsets, zeros included, as one dense matrix.
    bool dense = false;
    /// For models in a differential subspace: large dense products by cuBLAS. For blendshapes: one sparse product by
    /// cuSPARSE, instead of `dense`. Needs a build with RIGCAST_CUDA_LIBRARIES.
    bool libraries = false;
};

/// A learned body, a model in a differential subspace, a face on deformation maps or a blendshape rig whose constants
/// are on the first device. evaluate, jvp and jacobian run there; vjp throws ArgumentError. Poses and results on the
/// host are copied in chunks that fit the workspace. Guarantee: a frame has the same bytes alone and in any batch,
/// except with ResidentOptions::libraries; they differ from the CPU's by rounding. Calls from several threads run one
/// after another. All members throw CudaError.
/// Products run on the matrix units, float32 in two parts (machine/matrix_units.h). Not done: overlapping the copies
/// with kernels (locked memory and a second stream), fusing the blend with the last product.
///
/// Example: a motion whose vertices stay on the device.
/// ```cpp
/// const auto model = make_model(std::make_shared<const TensorFile>(TensorFile::read("hero.safetensors")));
/// const cuda::ResidentModel resident(model, {});
/// std::vector<float> poses(frames * model->character().num_controls());
/// const auto vertices_there = resident.evaluate_on_device({poses.data(), {frames,
/// model->character().num_controls()}});
/// ```
class ResidentModel final : public rig::Deformer {
public:
    /// Throws ArgumentError if the model is of a kind that has no kernels.
    ResidentModel(std::shared_ptr<const rig::Deformer> model, const ResidentOptions& options);
    ~ResidentModel() override;

    /// Vertices (T, V, 3) on the device for poses (T, C) on the host. Throws ArgumentError as Deformer::evaluate does,
    /// except if vertices overflow: they are then not finite; and if the kind of model does not know the choices.
    DeviceArray evaluate_on_device(View<const float, 2> poses, const Choices& choices = {}) const;
    /// The same for poses on the device. Their values are not checked: poses that are not finite give vertices that are
    /// not. Nothing is copied to the host.
    DeviceArray evaluate_on_device(const DeviceMatrix& poses, const Choices& choices = {}) const;
    /// Vertices (T, V, 3) on the host for poses on the device. Throws ArgumentError if a vertex is not finite.
    void evaluate_to_host(const DeviceMatrix& poses, View<float, 3> vertices, const Choices& choices = {}) const;
    /// The same for frames that curves on the device play: into an array (T, V, 3) on the device, or on the host, which
    /// is checked for overflow. The keys must be in range.
    void evaluate_played(const PlayedFrames& frames, const DeviceArray& vertices, const Choices& choices) const;
    void evaluate_played(const PlayedFrames& frames, View<float, 3> vertices, const Choices& choices) const;
    /// From host to host, with choices: as BlendshapeRig::evaluate_prefix or FaceMaps::evaluate_detail. Throws
    /// ArgumentError as these, and if the kind of model does not know the choices.
    void evaluate_with(View<const float, 2> poses, const Choices& choices, View<float, 3> vertices) const;

    /// An array (T, V, 3) on the device whose numbers are not set. Throws ArgumentError, which names `function`, if it
    /// is larger than any memory.
    DeviceArray new_vertices(const char* function, std::int64_t num_frames) const;
    /// Bytes of the model's constants on the device, without working memory.
    std::int64_t num_bytes() const;

    float pose_limit() const override { return model_->pose_limit(); }

    /// Device time in milliseconds of each of `repeats` evaluations of `frames_per_batch` frames, without copies:
    /// events around the kernels, after three evaluations to warm up, for successive batches of `poses`, with
    /// a detail (1, R) for all frames if there is one. Throws ArgumentError if a batch does not fit the workspace.
    std::vector<double> milliseconds(View<const float, 2> poses, std::int64_t frames_per_batch, int repeats,
                                     View<const float, 2> detail = {}) const;

private:
    struct State;
    struct Source;
    struct Target;

    void do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const override;
    void do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                int threads) const override;
    void do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                int threads) const override;
    void do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const override;
    std::shared_ptr<Deformer> do_restricted(View<const std::int32_t, 1> vertices) const override;

    void check(const char* function, std::int64_t num_frames, std::int64_t width, const Choices& choices) const;
    void run(const Source& poses, std::int64_t num_frames, const Target& vertices, const Choices& choices) const;

    std::shared_ptr<const rig::Deformer> model_;
    ResidentOptions options_;
    std::unique_ptr<State> state_;
};

/// Returns true if there are kernels for models of this kind: "body", "differential", "face_maps" and "blendshape".
bool has_kernels(const rig::Deformer& model);

/// Copies the constants of a model, which may be restricted, to the device. `restricted` of the result is a
/// ResidentModel, too. Throws ArgumentError unless has_kernels, or if options choose libraries that the build or the
/// kind does not have. Throws CudaError.
std::shared_ptr<ResidentModel> resident(std::shared_ptr<const rig::Deformer> model,
                                        const ResidentOptions& options = ResidentOptions());

}  // namespace rigcast::cuda
