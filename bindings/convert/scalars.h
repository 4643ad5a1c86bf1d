#pragma once
#include <string>
#include <vector>

#include "bindings/convert/arguments.h"

namespace rigcast::bindings {

/// A number of threads; 0 stands for all processors. Throws ArgumentError, which names `function`, if the object is no
/// whole number from 0 to 2^31 - 1.
int thread_count(const char* function, const IntLike& threads);

/// Names as UTF-8. Throws ArgumentError, which names function and argument, if the object is no sequence of texts or
/// one of them has half of a surrogate pair.
std::vector<std::string> as_names(const char* function, const char* argument, const NamesLike& names);

}  // namespace rigcast::bindings
