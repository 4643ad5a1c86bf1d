#pragma once
#include <string>
#include <vector>

namespace rigcast::rig {

/// A number that is constant, a channel, or what an expression makes of channels: what a driver sets.
class Number {
public:
    /// A constant.
    Number(double value = 0.0) : constant_(value) {}  // NOLINT(google-explicit-constructor): constants are numbers
    /// An expression in postfix notation: decimal numbers, "$NAME" for channels, and the operators "+", "-", "*", "/",
    /// "**", "%", "<", "<=", ">", ">=", "==", "!=", "min", "max", "atan2" of two values, "neg", "not", "abs", "sqrt",
    /// "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "floor", "ceil", "round", "radians", "degrees" of
    /// one, and "if" of three (value if true, condition, value if false). Truth is 1, any other number than 0 is true.
    /// Throws ArgumentError, which names `place`, if a word or a channel is unknown, operators find too few values, or
    /// values are left over.
    Number(const std::vector<std::string>& words, const std::vector<std::string>& channel_names,
           const std::string& place);

    double value(const double* channels) const;
    /// The channels that it reads.
    std::vector<int> inputs() const;

private:
    struct Step {
        int operation = 0;
        int channel = -1;
        double constant = 0.0;
    };
    double constant_ = 0.0;
    std::vector<Step> steps_;  // empty: constant
};

}  // namespace rigcast::rig
