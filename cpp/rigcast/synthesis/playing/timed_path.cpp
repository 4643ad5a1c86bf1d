#include "rigcast/synthesis/playing/timed_path.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rigcast/core/error.h"
#include "rigcast/synthesis/playing/play_settings.h"

namespace rigcast::synthesis {
namespace {

constexpr std::array<double, 5> straightening{1.0 / 9, 2.0 / 9, 3.0 / 9, 2.0 / 9, 1.0 / 9};  // of half steps
constexpr std::int64_t between = 3;  // half steps between places whose density is evaluated
constexpr double most_halves = 1e6;
constexpr std::int64_t least_width = 2, most_width = 5;

/// Where x lies among rising places: between `index` and the next one, at `share`.
struct Place {
    std::size_t index;
    double share;
};

Place place_of(double x, const std::vector<double>& places) {
    const auto after = std::upper_bound(places.begin(), places.end(), x);
    if (after == places.begin()) return {0, 0.0};
    if (after == places.end()) return {places.size() - 1, 0.0};
    const auto index = static_cast<std::size_t>(after - places.begin()) - 1;
    return {index, (x - places[index]) / (places[index + 1] - places[index])};
}

double number_at(double x, const std::vector<double>& places, const std::vector<double>& numbers) {
    const Place at = place_of(x, places);
    if (at.share == 0.0) return numbers[at.index];
    return numbers[at.index] + at.share * (numbers[at.index + 1] - numbers[at.index]);
}

void add_point_at(double x, const std::vector<double>& places, const Points& nodes, Points& out) {
    const Place at = place_of(x, places);
    const auto i = static_cast<std::int64_t>(at.index);
    for (std::int64_t axis = 0; axis < nodes.width; ++axis) {
        const double here = nodes[i][axis];
        out.numbers.push_back(at.share == 0.0 ? here : here + at.share * (nodes[i + 1][axis] - here));
    }
}

/// Lengths from the first point to each.
std::vector<double> arc_lengths(const Points& points) {
    std::vector<double> ends{0.0};
    for (std::int64_t i = 1; i < points.size(); ++i) {
        ends.push_back(ends.back() + distance(points[i - 1], points[i], points.width));
    }
    return ends;
}

double evenly(double total, std::int64_t i, std::int64_t count) {
    return i == count ? total : total / static_cast<double>(count) * static_cast<double>(i);
}

/// Half steps of a polyline without the zigzag of its nodes, which would cost speed when corners are rounded.
Points straightened(const Points& rows) {
    const std::int64_t count = rows.size();
    Points result{rows.width, {}};
    for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t axis = 0; axis < rows.width; ++axis) {
            double sum = 0.0;
            for (std::int64_t k = -2; k <= 2; ++k) {
                const std::int64_t j = i + k;
                const double at = j < 0        ? 2.0 * rows[0][axis] - rows[-j][axis]
                                  : j >= count ? 2.0 * rows[count - 1][axis] - rows[2 * (count - 1) - j][axis]
                                               : rows[j][axis];
                sum += straightening[static_cast<std::size_t>(k + 2)] * at;
            }
            result.numbers.push_back(sum);
        }
    }
    return result;
}

/// A moving average (n + weights - 1) of rows with ends repeated; ends stay in place.
template <class At>
std::vector<double> rounded(std::int64_t count, const std::vector<double>& weights, const At& at) {
    const auto reach = std::ssize(weights) - 1;
    std::vector<double> result;
    for (std::int64_t i = 0; i < count + reach; ++i) {
        double sum = 0.0;
        for (std::int64_t k = 0; k <= reach; ++k) {
            sum += weights[static_cast<std::size_t>(k)] * at(std::clamp<std::int64_t>(i + k - reach, 0, count - 1));
        }
        result.push_back(sum);
    }
    result.front() = at(0);
    result.back() = at(count - 1);
    return result;
}

/// Eases of all half steps from those of every third.
std::vector<double> eases_of(const Points& rows, const EaseOf& ease) {
    Points chosen{rows.width, {}};
    std::vector<double> known, all;
    const std::int64_t last = rows.size() - 1;
    for (std::int64_t i = 0; i <= last; i = i < last ? std::min(i + between, last) : last + 1) {
        known.push_back(static_cast<double>(i));
        chosen.add(rows[i]);
    }
    const std::vector<double> eases = ease(chosen);
    for (std::int64_t i = 0; i <= last; ++i) all.push_back(number_at(static_cast<double>(i), known, eases));
    return all;
}

}  // namespace

double distance(const double* a, const double* b, std::int64_t width) {
    double square = 0.0;
    for (std::int64_t axis = 0; axis < width; ++axis) square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
    return std::sqrt(square);
}

double quantile(std::vector<double> numbers, double share) {
    if (numbers.empty()) return 0.0;
    std::sort(numbers.begin(), numbers.end());
    const double rank = share * static_cast<double>(numbers.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(rank), numbers.size() - 1);
    const auto above = std::min(below + 1, numbers.size() - 1);
    return numbers[below] + (rank - static_cast<double>(below)) * (numbers[above] - numbers[below]);
}

std::vector<double> rounding_weights(std::int64_t width) {
    std::vector<double> weights(static_cast<std::size_t>(2 * width - 1));
    const auto square = static_cast<double>(width * width);
    for (std::int64_t i = 0; i < std::ssize(weights); ++i) {
        weights[static_cast<std::size_t>(i)] = static_cast<double>(std::min(i + 1, 2 * width - 1 - i)) / square;
    }
    return weights;
}

std::int64_t rounding_width(const std::vector<Points>& features) {
    std::vector<double> steps, turns;
    for (const Points& rows : features) {
        for (std::int64_t i = 1; i < rows.size(); ++i) steps.push_back(distance(rows[i - 1], rows[i], rows.width));
        for (std::int64_t i = 2; i < rows.size(); ++i) {
            double square = 0.0;
            for (std::int64_t axis = 0; axis < rows.width; ++axis) {
                const double turn = rows[i][axis] - 2.0 * rows[i - 1][axis] + rows[i - 2][axis];
                square += turn * turn;
            }
            turns.push_back(std::sqrt(square));
        }
    }
    const double fastest = quantile(turns, 0.99);
    if (!(fastest > 0.0)) return most_width;
    const double wanted = std::ceil(4.0 * quantile(steps, 0.5) / fastest);
    return static_cast<std::int64_t>(
        std::clamp(wanted, static_cast<double>(least_width), static_cast<double>(most_width)));
}

TimedPath timed_path(const Points& nodes, double pace, double shortest, const std::vector<double>& rounding,
                     const EaseOf& ease) {
    const std::vector<double> ends = arc_lengths(nodes);
    const double total = ends.back();
    if (!(total > shortest)) {
        Points rows{nodes.width, {}};
        rows.add(nodes[0]);
        rows.add(nodes[nodes.size() - 1]);
        std::vector<double> eases = ease(rows);
        return {std::move(rows), std::move(eases)};
    }
    if (!(2.0 * total / pace < most_halves)) {
        throw bad_argument("PlaySettings", "speed",
                           "so low that a path of length " + number_text(total) + " has " +
                               number_text(2.0 * total / pace) + " half steps",
                           "faster: at most a million half steps");
    }
    const auto halves = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(2.0 * total / pace)), 2);
    Points even{nodes.width, {}};
    for (std::int64_t i = 0; i <= halves; ++i) add_point_at(evenly(total, i, halves), ends, nodes, even);
    const Points rows = straightened(even);
    const std::vector<double> place = arc_lengths(rows), eases = eases_of(rows, ease);
    std::vector<double> time{0.0};
    for (std::size_t i = 1; i < place.size(); ++i) {
        time.push_back(time.back() + (place[i] - place[i - 1]) / (0.5 * pace * (eases[i] + eases[i - 1])));
    }
    const auto frames = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(time.back())), 1);
    Points shown{nodes.width, {}};
    std::vector<double> shown_eases;
    for (std::int64_t i = 0; i <= frames; ++i) {
        const double chosen = number_at(evenly(time.back(), i, frames), time, place);
        add_point_at(chosen, place, rows, shown);
        shown_eases.push_back(number_at(chosen, place, eases));
    }
    const std::int64_t count = shown.size();
    TimedPath path{{nodes.width, {}},
                   rounded(count, rounding, [&](std::int64_t i) { return shown_eases[static_cast<std::size_t>(i)]; })};
    path.rows.numbers.resize(path.eases.size() * static_cast<std::size_t>(nodes.width));
    for (std::int64_t axis = 0; axis < nodes.width; ++axis) {
        const std::vector<double> column = rounded(count, rounding, [&](std::int64_t i) { return shown[i][axis]; });
        for (std::int64_t i = 0; i < std::ssize(column); ++i) {
            path.rows[i][axis] = column[static_cast<std::size_t>(i)];
        }
    }
    return path;
}

}  // namespace rigcast::synthesis
