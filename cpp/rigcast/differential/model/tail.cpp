#include "rigcast/differential/model/tail.h"

#include <numeric>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/differential/fold.h"
#include "rigcast/differential/model/factorized_tail.h"
#include "rigcast/differential/model/folded_tail.h"
#include "rigcast/differential/reconstructor.h"

namespace rigcast::differential {
namespace {

/// What a solve of three right-hand sides takes per byte of its factorization, relative to what a dense product takes
/// per byte: the factorization is read twice, in short runs. Measured by benchmarks/systems/differential/tails.py on a
/// Sapphire Rapids core: 144 and 160 ns per KB of the factorization at 4,398 and 6,706 vertices, 38 and 43 ns per KB of
/// the product.
constexpr double solve_cost_per_byte = 3.7;

/// The mesh on which delta coordinates are solved, and the vertices of it that the model has.
struct SolvedMesh {
    View<const std::int32_t, 2> faces;
    std::int64_t num_vertices;
    std::vector<std::int32_t> vertices;
};

SolvedMesh read_mesh(const rig::Character& character) {
    const TensorFile& file = *character.tensors;
    SolvedMesh mesh;
    if (!file.contains("solve.faces")) {
        mesh.faces = character.faces;
        mesh.num_vertices = character.num_vertices();
        mesh.vertices.resize(static_cast<std::size_t>(mesh.num_vertices));
        std::iota(mesh.vertices.begin(), mesh.vertices.end(), 0);
        return mesh;
    }
    mesh.faces = file.get<std::int32_t, 2>("solve.faces", {-1, 4});
    mesh.num_vertices = file.get<float, 1>("delta.mean").extent(0) / 3;
    const auto vertices = file.get<std::int32_t, 1>("solve.vertex", {character.num_vertices()});
    for (const std::int32_t v : vertices) {
        if (v < 0 || v >= mesh.num_vertices) {
            throw bad_argument("load", "solve.vertex", "holding " + std::to_string(v),
                               "vertices below " + std::to_string(mesh.num_vertices));
        }
    }
    mesh.vertices.assign(vertices.begin(), vertices.end());
    return mesh;
}

std::unique_ptr<const Reconstructor> read_reconstructor(const TensorFile& file, const SolvedMesh& mesh) {
    if (file.metadata().text("laplacian") != "D - A") {
        throw bad_argument("load", "metadata.laplacian", "'" + file.metadata().text("laplacian") + "'", "\"D - A\"");
    }
    const auto anchors = file.get<std::int32_t, 1>("anchors.vertex");
    const auto weight = file.get<float, 1>("anchors.weight", {anchors.extent(0)});
    const std::vector<double> weights(weight.begin(), weight.end());
    try {
        return std::make_unique<const Reconstructor>(mesh.faces, mesh.num_vertices, anchors,
                                                     View<const double, 1>(weights.data(), weight.extents()));
    } catch (const ArgumentError& error) {
        throw bad_argument("load", error.argument, error.got, error.expected);
    } catch (const NumericalError& error) {
        throw bad_argument("load", "anchors.*", std::string("malformed (") + error.what() + ")",
                           "anchors that a Laplacian can be factorized with");
    }
}

std::unique_ptr<const Tail> read_folded(const rig::Character& character) {
    const TensorFile& file = *character.tensors;
    const std::int64_t num_vertices = character.num_vertices();
    const auto basis = file.get<float, 2>("folded.basis", {3 * num_vertices, -1});
    const auto anchor = file.get<float, 2>("folded.anchor", {num_vertices, -1});
    const auto constant = file.get<float, 1>("folded.constant", {3 * num_vertices});
    return std::make_unique<FoldedTail>(basis, anchor, constant, in_16_bits(file));
}

std::unique_ptr<const Tail> make_folded(const Reconstructor& reconstructor, View<const float, 2> basis,
                                        View<const float, 1> mean, View<const float, 2> rest, bool is_16_bits) {
    Folded folded = fold(reconstructor, basis, mean, 0);
    const std::int64_t rows = mean.extent(0);
    const std::int64_t anchors = static_cast<std::int64_t>(reconstructor.anchors().size());
    for (std::int64_t i = 0; i < rows; ++i) folded.constant[i] += rest.data()[i];
    return std::make_unique<FoldedTail>(View<const float, 2>(folded.basis.data(), basis.extents()),
                                        View<const float, 2>(folded.anchor.data(), {rows / 3, anchors}),
                                        View<const float, 1>(folded.constant.data(), {rows}), is_16_bits);
}

/// Returns true if the dense product with the anchors' columns costs less than a solve.
bool fold_is_cheaper(const Reconstructor& reconstructor, bool is_16_bits) {
    const double anchors = static_cast<double>(reconstructor.anchors().size());
    const double folded = (is_16_bits ? 2.0 : 4.0) * anchors * static_cast<double>(reconstructor.num_vertices());
    return folded <= solve_cost_per_byte * static_cast<double>(reconstructor.num_bytes());
}

bool is_to_be_folded(const TensorFile& file, const Reconstructor& reconstructor) {
    if (!file.metadata().contains("tail")) return fold_is_cheaper(reconstructor, in_16_bits(file));
    const std::string tail = file.metadata().text("tail");
    if (tail != "folded" && tail != "factorized") {
        throw bad_argument("load", "metadata.tail", "'" + tail + "'", "\"folded\" or \"factorized\"");
    }
    return tail == "folded";
}

}  // namespace

bool in_16_bits(const TensorFile& tensors) {
    const Metadata& metadata = tensors.metadata();
    if (!metadata.contains("network_storage")) return false;
    const std::string storage = metadata.text("network_storage");
    if (storage == "float32" || storage == "16-bit") return storage == "16-bit";
    throw bad_argument("load", "metadata.network_storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
}

std::unique_ptr<const Tail> read_tail(const rig::Character& character) {
    const TensorFile& file = *character.tensors;
    const bool is_16_bits = in_16_bits(file);
    if (file.contains("folded.basis")) return read_folded(character);
    SolvedMesh mesh = read_mesh(character);
    const auto basis = file.get<float, 2>("delta.basis", {3 * mesh.num_vertices, -1});
    const auto mean = file.get<float, 1>("delta.mean", {3 * mesh.num_vertices});
    auto reconstructor = read_reconstructor(file, mesh);
    const bool is_whole = !file.contains("solve.faces");
    if (is_whole && is_to_be_folded(file, *reconstructor)) {
        return make_folded(*reconstructor, basis, mean, character.rest_vertices, is_16_bits);
    }
    return std::make_unique<FactorizedTail>(std::move(reconstructor), mesh.faces, basis, mean, std::move(mesh.vertices),
                                            character.rest_vertices, is_16_bits);
}

}  // namespace rigcast::differential
