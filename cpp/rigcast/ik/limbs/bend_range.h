#pragma once
#include <vector>

namespace rigcast::ik {

/// The angles between the two bones of a limb that its middle joint allows, in degrees: 0 if the limb is straight,
/// positive if it bends about its hinge axis, negative if it bends the other way. The range may contain 0 (a knee that
/// overextends) and go across +-180 (bones that pass each other). By the law of cosines, an angle b of bones u and l is
/// a distance sqrt(u^2 + l^2 + 2 u l cos b) from base to end, so the range is a set of intervals of distances for each
/// side. Immutable.
class BendRange {
public:
    /// Requires: finite, least <= most <= least + 360, both within +-360.
    BendRange(double least, double most);

    /// Returns true if the range is not within 0 to 180: then its sides are told apart. Otherwise it is one of angles
    /// without a sign, on the side to which a pose bends.
    bool is_signed() const { return signed_; }

    /// The shortest and the longest distance of bones of lengths u and l.
    struct Reach {
        double shortest;
        double longest;
    };
    Reach reach(double u, double l) const;

    /// The allowed distance nearest to a given one, and the side (1 or -1) to which the limb bends at it. Of sides that
    /// are as near, `side`.
    struct Choice {
        double distance;
        double side;
    };
    Choice nearest(double u, double l, double distance, double side) const;

private:
    struct Interval {
        double side;
        double cosine_near;  // of the largest angle: the shortest distance
        double cosine_far;
    };
    std::vector<Interval> intervals_;
    bool signed_ = false;
};

}  // namespace rigcast::ik
