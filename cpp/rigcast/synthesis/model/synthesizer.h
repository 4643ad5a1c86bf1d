#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rigcast/synthesis/latent/latent_space.h"
#include "rigcast/synthesis/model/coordinates.h"

namespace rigcast::synthesis {

/// Successive training frames of one clip: rows begin to end - 1 of a space.
struct ClipSegment {
    std::string name;
    std::int64_t begin = 0, end = 0;
};

/// The latent space of one label: a Gaussian process from points (n, D) to P components, and a linear map from these to
/// coordinates (N): center + components basis.
struct Space {
    std::string label;
    std::shared_ptr<const LatentSpace> latent;
    std::vector<float> frames;  // (n, N) controls of the training frames
    std::vector<ClipSegment> segments;
    std::vector<double> basis;   // (P, N)
    std::vector<double> center;  // (N)

    std::int64_t size() const { return latent->points().extent(0); }
    std::int64_t dimension() const { return latent->dimension(); }
};

/// Pairs of latent points of two labels whose meshes match, the closest first.
struct Bridge {
    std::int64_t from = 0, to = 0;               // labels
    std::vector<double> from_points, to_points;  // (K, D_from), (K, D_to)
    std::vector<double> distances;               // (K) millimeters
    bool within = true;                          // false: the one pair that joins labels that no chain of matches joins
};

/// A way from one label to another, and its cost.
struct LabelEdge {
    std::int64_t from = 0, to = 0;
    double cost = 1.0;
};
/// The cheapest chain of labels from start to end, ends included (Dijkstra 1959); ties by the order of the labels.
/// Empty if there is none.
std::vector<std::int64_t> cheapest_route(std::int64_t labels, const std::vector<LabelEdge>& edges, std::int64_t start,
                                         std::int64_t end);

/// The parts of a synthesizer.
struct SynthesizerParts {
    double fps = 24.0;
    double threshold = 0.0;  // millimeters below which poses of two labels match
    std::shared_ptr<const Coordinates> around;
    std::vector<double> effects;  // (N, R): lengths of coordinates times this are distances of the mesh
    std::vector<Space> spaces;    // one per label
    std::vector<Bridge> bridges;  // in both directions
};

/// Latent spaces of labelled clips, and where one leads to another (Bailey 2020, chapter 5): what players play. Read by
/// read_synthesizer. Immutable; const calls are thread-safe.
class Synthesizer {
public:
    explicit Synthesizer(SynthesizerParts parts);

    double fps() const { return parts_.fps; }
    const Controls& controls() const { return parts_.around->controls(); }
    const Coordinates& around() const { return *parts_.around; }
    std::int64_t num_controls() const { return controls().size(); }
    std::int64_t num_features() const { return features_; }
    const std::vector<std::string>& labels() const { return labels_; }
    const std::vector<Space>& spaces() const { return parts_.spaces; }
    const Space& space(std::int64_t label) const { return parts_.spaces[static_cast<std::size_t>(label)]; }

    /// The index of a label. Throws ArgumentError, which names `function`, if there is none.
    std::int64_t label_index(const char* function, const std::string& label) const;
    /// The bridge from one label to another; null if there is none.
    const Bridge* bridge(std::int64_t from, std::int64_t to) const;
    /// Labels through which `end` is reached, ends included. A bridge within the threshold costs 1, any other its
    /// distance in thresholds. Throws ArgumentError if no chain of bridges leads there.
    std::vector<std::int64_t> route(std::int64_t start, std::int64_t end) const;
    /// The clip and frame of a training row, as "walk 12".
    std::string frame_name(std::int64_t label, std::int64_t row) const;

    /// Writes the controls (T, N), clipped to the limits, of latent points (T, D) of a label. A row's bytes do not
    /// depend on the others. Throws ArgumentError if a shape is wrong or a number is not finite.
    void write_controls(std::int64_t label, View<const double, 2> x, View<float, 2> out, int threads) const;
    /// Writes the features (R) of controls (N): the Euclidean distance of two is that of the linearized meshes, root
    /// mean square over vertices.
    void write_features(const float* given, double* out) const;

private:
    SynthesizerParts parts_;
    std::int64_t features_;
    std::vector<std::string> labels_;
};

}  // namespace rigcast::synthesis
