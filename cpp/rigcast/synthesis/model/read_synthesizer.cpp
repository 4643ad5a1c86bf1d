#include "rigcast/synthesis/model/read_synthesizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "rigcast/core/check.h"
#include "rigcast/synthesis/playing/density_field.h"

namespace rigcast::synthesis {
namespace {

constexpr std::int64_t most_exact = 4000, most_inducing = 2000;   // a kernel matrix is factorized when a file is read
constexpr std::int64_t most_covariances = std::int64_t{1} << 27;  // between training and inducing points
constexpr double slowest_rate = 1e-3, fastest_rate = 1e3;

double number_of(const Metadata& entry, const char* key, double least, bool above, double most) {
    const double value = entry.number(key);
    if (std::isfinite(value) && (above ? value > least : value >= least) && value <= most) return value;
    throw bad_argument("load", entry.place() + "." + key, std::to_string(value),
                       std::string("a finite number ") + (above ? "above " : "of at least ") + std::to_string(least) +
                           (most < 1e300 ? ", at most " + std::to_string(most) : ""));
}

/// The numbers of a tensor, all finite.
template <int Rank>
std::vector<double> doubles_of(const TensorFile& file, const std::string& name,
                               const std::array<std::int64_t, Rank>& shape) {
    const auto found = file.get<float, Rank>(name, shape);
    check_finite("load", name.c_str(), found);
    return {found.begin(), found.end()};
}

std::string prefix_of(const char* kind, std::size_t index) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%s.%03zu.", kind, index);
    return text.data();
}

std::shared_ptr<const Coordinates> coordinates_of(const TensorFile& file) {
    const Metadata& metadata = file.metadata();
    std::vector<std::string> names = metadata.names("control_names");
    const auto count = std::ssize(names);
    const std::vector<std::string> orders = metadata.names("rotation_orders");
    std::vector<Controls::Joint> joints(orders.size());
    std::vector<double> turned;
    if (!orders.empty()) {
        const auto columns = file.get<std::int32_t, 2>("rotations", {std::ssize(orders), 3});
        for (std::size_t j = 0; j < joints.size(); ++j) {
            joints[j].axes = Controls::axes_of("load", orders[j]);
            std::copy_n(columns.row(static_cast<std::int64_t>(j)), 3, joints[j].columns.begin());
        }
        turned = doubles_of<3>(file, "mean_rotations", {std::ssize(orders), 3, 3});
    }
    std::vector<double> limits = doubles_of<2>(file, "limits", {count, 2});
    auto controls = std::make_shared<const Controls>("load", std::move(names), std::move(limits), std::move(joints));
    return std::make_shared<const Coordinates>("load", std::move(controls), doubles_of<1>(file, "mean", {count}),
                                               turned);
}

/// Throws ArgumentError if a process would take too much memory or time.
void check_sizes(const std::string& name, std::int64_t points, std::int64_t dimensions, std::int64_t inducing) {
    if (points < 1 || dimensions < 1 || dimensions > DensityField::max_dimensions) {
        throw bad_argument(
            "load", name, "of shape " + describe_shape<2>({points, dimensions}),
            "of at least one point and at most " + std::to_string(DensityField::max_dimensions) + " dimensions");
    }
    const std::int64_t factorized = inducing > 0 ? inducing : points;
    const std::int64_t most = inducing > 0 ? most_inducing : most_exact;
    if (factorized > most) {
        throw bad_argument("load", name, std::to_string(factorized) + " long",
                           "at most " + std::to_string(most) + " long, or with fewer inducing points");
    }
    const std::int64_t room = most_covariances / std::max<std::int64_t>(inducing, 1);
    if (points > room) {
        throw bad_argument("load", name, std::to_string(points) + " long",
                           "at most " + std::to_string(room) + " long beside its inducing points");
    }
}

std::vector<ClipSegment> segments_of(const TensorFile& file, const std::string& name, const Metadata& entry,
                                     std::int64_t rows) {
    const std::vector<Metadata> clips = entry.objects("clips");
    const auto ends = file.get<std::int32_t, 2>(name, {-1, 2});
    std::vector<ClipSegment> segments;
    std::int64_t before = 0;
    bool follow = ends.extent(0) == std::ssize(clips) && !clips.empty();
    for (std::int64_t i = 0; follow && i < ends.extent(0); ++i) {
        follow = ends(i, 0) == before && ends(i, 1) > before;
        segments.push_back({clips[static_cast<std::size_t>(i)].text("name"), before, ends(i, 1)});
        before = ends(i, 1);
    }
    if (!follow || before != rows) {
        throw bad_argument("load", name, "with gaps",
                           "one per clip, one after another, " + std::to_string(rows) + " rows");
    }
    return segments;
}

Space space_of(const TensorFile& file, const std::string& place, const Metadata& entry, std::int64_t controls,
               int threads) {
    const auto points = file.get<float, 2>(place + "points");
    const bool sparse = file.contains(place + "inducing");
    const std::int64_t rows = points.extent(0), dimensions = points.extent(1);
    const std::int64_t inducing = sparse ? file.get<float, 2>(place + "inducing", {-1, dimensions}).extent(0) : 0;
    check_sizes(place + (sparse && inducing > most_inducing ? "inducing" : "points"), rows, dimensions, inducing);
    if (sparse && (inducing < 1 || inducing > rows)) {
        throw bad_argument("load", place + "inducing", std::to_string(inducing) + " points",
                           "at least one, at most as many as the points");
    }
    Space space;
    space.label = entry.text("label");
    const std::vector<double> x = doubles_of<2>(file, place + "points", {rows, dimensions});
    const std::vector<double> y = doubles_of<2>(file, place + "values", {rows, -1});
    const std::int64_t components = file.get<float, 2>(place + "values").extent(1);
    if (components < 1) throw bad_argument("load", place + "values", "without components", "at least one");
    const std::vector<double> z =
        sparse ? doubles_of<2>(file, place + "inducing", {inducing, dimensions}) : std::vector<double>();
    const auto frames = file.get<float, 2>(place + "frames", {rows, controls});
    check_finite("load", (place + "frames").c_str(), frames);
    space.frames.assign(frames.begin(), frames.end());
    space.basis = doubles_of<2>(file, place + "basis", {components, controls});
    space.center = doubles_of<1>(file, place + "center", {controls});
    space.segments = segments_of(file, place + "segments", entry, rows);
    const double huge = std::numeric_limits<double>::max();
    const Kernel kernel{number_of(entry, "variance", 0.0, true, huge), number_of(entry, "length", 0.0, true, huge),
                        number_of(entry, "noise", 0.0, true, huge)};
    space.latent = std::make_shared<const LatentSpace>(
        View<const double, 2>(x.data(), {rows, dimensions}), View<const double, 2>(y.data(), {rows, components}),
        kernel, View<const double, 2>(z.data(), {inducing, dimensions}), threads);
    return space;
}

std::vector<Space> spaces_of(const TensorFile& file, std::int64_t controls, int threads) {
    std::vector<Space> spaces;
    std::set<std::string> labels;
    for (const Metadata& entry : file.metadata().objects("spaces")) {
        const std::string label = entry.text("label");
        if (label.empty() || !labels.insert(label).second) {
            throw bad_argument("load", entry.place() + ".label", "'" + label + "'", "a name, and no other space's");
        }
        spaces.push_back(space_of(file, prefix_of("space", spaces.size()), entry, controls, threads));
    }
    if (spaces.empty()) throw bad_argument("load", "metadata.spaces", "empty", "one per label, at least one");
    return spaces;
}

Bridge bridge_of(const TensorFile& file, const std::string& place, const std::vector<Space>& spaces, std::int64_t from,
                 std::int64_t to, bool within) {
    const std::int64_t own = spaces[static_cast<std::size_t>(from)].dimension();
    const std::int64_t other = spaces[static_cast<std::size_t>(to)].dimension();
    Bridge bridge{from, to, doubles_of<2>(file, place + "from", {-1, own}), {}, {}, within};
    const std::int64_t count = std::ssize(bridge.from_points) / own;
    bridge.to_points = doubles_of<2>(file, place + "to", {count, other});
    bridge.distances = doubles_of<1>(file, place + "distance", {count});
    if (count < 1) throw bad_argument("load", place + "from", "empty", "at least one pair of points");
    if (bridge.distances.front() < 0.0 || !std::is_sorted(bridge.distances.begin(), bridge.distances.end())) {
        throw bad_argument("load", place + "distance", "negative or not sorted", "distances, the smallest first");
    }
    return bridge;
}

std::vector<Bridge> bridges_of(const TensorFile& file, const std::vector<Space>& spaces) {
    std::map<std::string, std::int64_t> index;
    for (const Space& space : spaces) index.emplace(space.label, std::ssize(index));
    std::set<std::pair<std::int64_t, std::int64_t>> joined;
    std::vector<Bridge> bridges;
    std::size_t number = 0;
    for (const Metadata& entry : file.metadata().objects("bridges")) {
        const auto a = index.find(entry.text("from")), b = index.find(entry.text("to"));
        if (a == index.end() || b == index.end() || a == b ||
            !joined.insert(std::minmax(a->second, b->second)).second) {
            throw bad_argument("load", entry.place(), "from '" + entry.text("from") + "' to '" + entry.text("to") + "'",
                               "between two labels that no other bridge joins");
        }
        Bridge one = bridge_of(file, prefix_of("bridge", number++), spaces, a->second, b->second, entry.flag("within"));
        Bridge back{one.to, one.from, one.to_points, one.from_points, one.distances, one.within};
        bridges.push_back(std::move(one));
        bridges.push_back(std::move(back));
    }
    return bridges;
}

}  // namespace

std::shared_ptr<const Synthesizer> read_synthesizer(const TensorFile& file, int threads) {
    const Metadata& metadata = file.metadata();
    const std::string kind = metadata.text("kind");
    const std::int64_t version = metadata.integer("version");
    if (kind != "synthesis" || version != 1) {
        throw bad_argument("load", "metadata", "of kind '" + kind + "', version " + std::to_string(version),
                           "of kind 'synthesis', version 1: models are opened by rigcast.load");
    }
    SynthesizerParts parts;
    parts.fps = number_of(metadata, "fps", slowest_rate, false, fastest_rate);
    parts.threshold = number_of(metadata, "threshold", 0.0, false, std::numeric_limits<double>::max());
    parts.around = coordinates_of(file);
    const std::int64_t count = parts.around->controls().size();
    parts.effects = doubles_of<2>(file, "effects", {count, -1});
    parts.spaces = spaces_of(file, count, threads);
    parts.bridges = bridges_of(file, parts.spaces);
    return std::make_shared<const Synthesizer>(std::move(parts));
}

}  // namespace rigcast::synthesis
