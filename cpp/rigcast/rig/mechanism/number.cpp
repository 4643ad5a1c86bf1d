#include "rigcast/rig/mechanism/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "rigcast/core/error.h"

namespace rigcast::rig {
namespace {

constexpr std::size_t max_depth = 32;  // of the stack

enum Operation { constant, channel, first_operator };

struct Operator {
    const char* name;
    int values;
    double (*apply)(const double* values);
};

double truth(bool value) {
    return value ? 1.0 : 0.0;
}

constexpr double radians_per_degree = std::numbers::pi / 180.0;

const std::array operators{
    Operator{"+", 2, [](const double* v) { return v[0] + v[1]; }},
    Operator{"-", 2, [](const double* v) { return v[0] - v[1]; }},
    Operator{"*", 2, [](const double* v) { return v[0] * v[1]; }},
    Operator{"/", 2, [](const double* v) { return v[0] / v[1]; }},
    Operator{"**", 2, [](const double* v) { return std::pow(v[0], v[1]); }},
    Operator{"%", 2, [](const double* v) { return v[0] - v[1] * std::floor(v[0] / v[1]); }},
    Operator{"<", 2, [](const double* v) { return truth(v[0] < v[1]); }},
    Operator{"<=", 2, [](const double* v) { return truth(v[0] <= v[1]); }},
    Operator{">", 2, [](const double* v) { return truth(v[0] > v[1]); }},
    Operator{">=", 2, [](const double* v) { return truth(v[0] >= v[1]); }},
    Operator{"==", 2, [](const double* v) { return truth(v[0] == v[1]); }},
    Operator{"!=", 2, [](const double* v) { return truth(v[0] != v[1]); }},
    Operator{"min", 2, [](const double* v) { return std::min(v[0], v[1]); }},
    Operator{"max", 2, [](const double* v) { return std::max(v[0], v[1]); }},
    Operator{"atan2", 2, [](const double* v) { return std::atan2(v[0], v[1]); }},
    Operator{"neg", 1, [](const double* v) { return -v[0]; }},
    Operator{"not", 1, [](const double* v) { return truth(v[0] == 0.0); }},
    Operator{"abs", 1, [](const double* v) { return std::abs(v[0]); }},
    Operator{"sqrt", 1, [](const double* v) { return std::sqrt(v[0]); }},
    Operator{"sin", 1, [](const double* v) { return std::sin(v[0]); }},
    Operator{"cos", 1, [](const double* v) { return std::cos(v[0]); }},
    Operator{"tan", 1, [](const double* v) { return std::tan(v[0]); }},
    Operator{"asin", 1, [](const double* v) { return std::asin(v[0]); }},
    Operator{"acos", 1, [](const double* v) { return std::acos(v[0]); }},
    Operator{"atan", 1, [](const double* v) { return std::atan(v[0]); }},
    Operator{"exp", 1, [](const double* v) { return std::exp(v[0]); }},
    Operator{"log", 1, [](const double* v) { return std::log(v[0]); }},
    Operator{"floor", 1, [](const double* v) { return std::floor(v[0]); }},
    Operator{"ceil", 1, [](const double* v) { return std::ceil(v[0]); }},
    Operator{"round", 1, [](const double* v) { return std::nearbyint(v[0]); }},
    Operator{"radians", 1, [](const double* v) { return radians_per_degree * v[0]; }},
    Operator{"degrees", 1, [](const double* v) { return v[0] / radians_per_degree; }},
    Operator{"if", 3, [](const double* v) { return v[1] != 0.0 ? v[0] : v[2]; }},
};

/// Whether a word is one decimal number, which `value` becomes.
bool is_number(const std::string& word, double& value) {
    const char* const end = word.data() + word.size();
#ifdef __cpp_lib_to_chars
    const auto [read, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && read == end;
#else  // the C++ library of Emscripten 3.1, whose C library has one locale; from_chars takes no +1, no space, no 0x1
    const bool is_other = word.find_first_of("+ \t\n\v\f\r") == 0 || word.find_first_of("xX") != std::string::npos;
    if (word.empty() || is_other) return false;
    char* read = nullptr;
    value = std::strtod(word.c_str(), &read);
    return read == end && std::abs(value) != HUGE_VAL;
#endif
}

}  // namespace

Number::Number(const std::vector<std::string>& words, const std::vector<std::string>& channel_names,
               const std::string& place) {
    const auto wrong = [&](const std::string& got) {
        return bad_argument("load", place, got, "an expression in postfix notation of known words");
    };
    std::size_t depth = 0;
    for (const std::string& word : words) {
        Step step;
        int taken = 0;
        if (const auto known = std::find_if(operators.begin(), operators.end(),
                                            [&](const Operator& candidate) { return word == candidate.name; });
            known != operators.end()) {
            step.operation = first_operator + static_cast<int>(known - operators.begin());
            taken = known->values;
        } else if (!word.empty() && word[0] == '$') {
            const auto found = std::find(channel_names.begin(), channel_names.end(), word.substr(1));
            if (found == channel_names.end()) throw wrong("with the unknown channel '" + word.substr(1) + "'");
            step.operation = channel;
            step.channel = static_cast<int>(found - channel_names.begin());
        } else {
            if (!is_number(word, step.constant)) throw wrong("with the word '" + word + "'");
        }
        if (depth < static_cast<std::size_t>(taken)) throw wrong("with too few values for '" + word + "'");
        depth = depth - static_cast<std::size_t>(taken) + 1;
        if (depth > max_depth) throw wrong("with more than " + std::to_string(max_depth) + " values at a time");
        steps_.push_back(step);
    }
    if (depth != 1) throw wrong("of " + std::to_string(depth) + " results");
}

double Number::value(const double* channels) const {
    if (steps_.empty()) return constant_;
    std::array<double, max_depth> stack;
    std::size_t depth = 0;
    for (const Step& step : steps_) {
        if (step.operation == constant) {
            stack[depth++] = step.constant;
        } else if (step.operation == channel) {
            stack[depth++] = channels[step.channel];
        } else {
            const Operator& known = operators[static_cast<std::size_t>(step.operation - first_operator)];
            depth -= static_cast<std::size_t>(known.values);
            stack[depth] = known.apply(stack.data() + depth);
            ++depth;
        }
    }
    return stack[0];
}

std::vector<int> Number::inputs() const {
    std::vector<int> found;
    for (const Step& step : steps_) {
        if (step.operation == channel) found.push_back(step.channel);
    }
    return found;
}

}  // namespace rigcast::rig
