#pragma once
#include <functional>
#include <vector>

#include "rigcast/synthesis/playing/points.h"

namespace rigcast::synthesis {

/// A path with one point per frame, and how free a particle is there: 1, less where little is known.
struct TimedPath {
    Points rows;
    std::vector<double> eases;
};

/// Eases (n) of points.
using EaseOf = std::function<std::vector<double>(const Points&)>;

/// A polyline of at least one node as one point per frame: `pace` per frame times the ease there, without the zigzag of
/// its nodes, and rounded by the weights of successive frames: it sets out and arrives gently, and takes corners in an
/// arc. Ends stay in place. A polyline shorter than `shortest` becomes its two ends. Throws ArgumentError if it would
/// have more than a million half steps.
TimedPath timed_path(const Points& nodes, double pace, double shortest, const std::vector<double>& rounding,
                     const EaseOf& ease);

/// Weights of two moving averages of `width` frames, one after the other.
std::vector<double> rounding_weights(std::int64_t width);

/// The width, from 2 to 5 frames, that lets a path turn about half as suddenly as clips do. Going back the same way
/// changes the velocity by 2 steps per frame, which two averages of n frames spread so that it accelerates by 2 / n.
/// features: (T, R) of each clip.
std::int64_t rounding_width(const std::vector<Points>& features);

/// The quantile of some numbers, linear between their ranks; 0 if there are none.
double quantile(std::vector<double> numbers, double share);

double distance(const double* a, const double* b, std::int64_t width);

}  // namespace rigcast::synthesis
