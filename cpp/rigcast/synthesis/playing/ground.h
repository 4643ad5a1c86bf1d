#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "rigcast/synthesis/latent/latent_space.h"
#include "rigcast/synthesis/playing/density_field.h"
#include "rigcast/synthesis/playing/play_settings.h"
#include "rigcast/synthesis/playing/timed_path.h"

namespace rigcast::synthesis {

/// The predictive density of a latent space, exact or with inducing points (Snelson & Ghahramani 2006). As if frames
/// had a noise of a twentieth of the deviation: what lies beyond that, between a frame and the path near it, moves no
/// particle, and the field needs half as many centers, a fourth of the time. Throws NumericalError if a covariance
/// cannot be factorized.
DensityField density_of(const LatentSpace& latent);

/// A label's latent space as paths see it: its step, its density, and shortest paths through its training points.
/// Immutable but for paths that are kept; const calls are thread-safe.
class Ground {
public:
    static constexpr std::size_t usual_bytes = std::size_t{32} << 20;  // of kept shortest paths

    /// ends: begin and end (S, 2) of the clips among the training points. rounding: width of each of two moving
    /// averages that round a path, in frames. Throws ArgumentError if a clip's rows do not exist.
    Ground(std::shared_ptr<const LatentSpace> latent, const std::vector<std::array<std::int64_t, 2>>& ends,
           const PlaySettings& settings, std::int64_t rounding, std::size_t kept_bytes = usual_bytes);

    View<const double, 2> points() const { return latent_->points(); }
    std::int64_t dimension() const { return latent_->dimension(); }
    /// Median distance between successive training points.
    double step() const { return step_; }
    const DensityField& field() const { return field_; }
    /// Log densities one step from the training points: the quantiles of the settings, and the median.
    double slow() const { return slow_; }
    double least() const { return least_; }
    double level() const { return level_; }

    /// Number of training points to which paths are kept.
    std::int64_t kept_paths() const;

    /// (T) log predictive densities of points.
    std::vector<double> density(const Points& x) const;
    /// The training point nearest to a point (D).
    std::int64_t nearest(const double* x) const;

    /// The shortest path in the complete graph of training points, start and target. An edge costs |x_i - x_j|^power:
    /// short edges, along the clips, are cheaper than one long one (Bailey 2020, section 5.5, whose weight
    /// |x_i - x_j|^-p is the closeness that this cost inverts).
    Points along_data(const double* start, const double* target) const;

    /// A path with one point per frame, its radii, and what the density made of it; "" if nothing.
    struct Path {
        Points rows;
        std::vector<double> radii;
        const char* note = "";
    };
    /// Through several targets in turn, without a rest at any but the last: along the data, or straight until the
    /// density falls below `least`.
    Path plan(const double* start, const Points& targets, bool straight) const;

    /// (n) radii of the ball around points: smaller where the density is low.
    std::vector<double> radii(const Points& rows) const;
    /// Radii that end in a ball in which a target is met, and shrink by `share` per frame until then.
    void narrow(std::vector<double>& radii, double share) const;

private:
    struct Tree {
        std::vector<double> cost;
        std::vector<std::int32_t> next;
    };
    struct Way {
        Points nodes;
        const char* note = "";
    };

    std::shared_ptr<const Tree> tree_to(const double* target) const;
    Way way(const double* start, const double* target, bool straight) const;
    std::vector<double> eases(const Points& rows) const;
    TimedPath timed(const Points& nodes) const;

    std::shared_ptr<const LatentSpace> latent_;
    double speed_, power_;
    std::size_t most_trees_;
    DensityField field_;
    std::vector<double> rounding_;
    double step_ = 0.0, ball_ = 0.0, slow_ = 0.0, least_ = 0.0, level_ = 0.0;
    mutable std::mutex lock_;
    mutable std::map<std::int64_t, std::shared_ptr<const Tree>> trees_;
    mutable std::vector<std::int64_t> oldest_;  // their points, in the order in which they were added
};

}  // namespace rigcast::synthesis
