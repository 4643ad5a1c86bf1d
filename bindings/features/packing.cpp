#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/released_gil.h"
#include "rigcast/core/check.h"
#include "rigcast/packing/fewest_packings.h"
#include "rigcast/packing/heaviest_packing.h"
#include "rigcast/packing/largest_clique.h"

namespace rigcast::bindings {
namespace {

using packing::BitSet;
using packing::PackingGraph;

std::unique_ptr<PackingGraph> make_graph(const ArrayLike& active, const std::vector<std::vector<int>>& refused) {
    const auto rows = as_array<std::uint8_t, 2>("PackingGraph", "active", active, "whole numbers (M, V)");
    const ReleasedGil released;
    return std::make_unique<PackingGraph>(view<std::uint8_t, 2>(rows), refused);
}

BitSet item_set(const char* function, const PackingGraph& graph, const std::vector<int>& items) {
    BitSet set(graph.size());
    for (int item : items) {
        if (item < 0 || item >= graph.size()) {
            throw bad_argument(function, "allowed", "with item " + std::to_string(item),
                               "items from 0 to " + std::to_string(graph.size() - 1));
        }
        set.insert(item);
    }
    return set;
}

/// Lets Ctrl-C end a search and calls `report` (None: nothing) with the number of nodes visited.
packing::ProgressCallback progress_of(const CountCallback& report) {
    return [&report](std::int64_t nodes) {
        run_signal_handlers();
        const py::gil_scoped_acquire acquired;
        if (!report.is_none()) report(nodes);
    };
}

py::tuple heaviest(const PackingGraph& graph, const ArrayLike& weights, const std::vector<int>& allowed,
                   std::int64_t node_limit, const CountCallback& report) {
    const auto values = as_array<double, 1>("PackingGraph.heaviest", "weights", weights, "numbers (M,)");
    const BitSet set = item_set("PackingGraph.heaviest", graph, allowed);
    packing::Packing packing;
    {
        const ReleasedGil released;
        packing = packing::heaviest_packing(graph, view<double, 1>(values), set, node_limit, progress_of(report));
    }
    return py::make_tuple(packing.items, packing.proven, packing.nodes);
}

py::tuple fewest(const PackingGraph& graph, const std::vector<int>& allowed, std::int64_t node_limit, int sufficient,
                 const CountCallback& report) {
    const BitSet set = item_set("PackingGraph.fewest", graph, allowed);
    packing::Coloring coloring;
    {
        const ReleasedGil released;
        coloring = packing::fewest_packings(graph, set, node_limit, sufficient, progress_of(report));
    }
    return py::make_tuple(coloring.expression, coloring.lower_bound, coloring.proven, coloring.nodes);
}

py::tuple clique(const PackingGraph& graph, const std::vector<int>& allowed, std::int64_t node_limit,
                 const CountCallback& report) {
    const BitSet set = item_set("PackingGraph.clique", graph, allowed);
    packing::Clique found;
    {
        const ReleasedGil released;
        found = packing::largest_clique(graph, set, node_limit, progress_of(report));
    }
    return py::make_tuple(found.items, found.proven);
}

Array<std::uint8_t> conflicts(const PackingGraph& graph) {
    Array<std::uint8_t> matrix({py::ssize_t{graph.size()}, py::ssize_t{graph.size()}});
    for (int a = 0; a < graph.size(); ++a) {
        for (int b = 0; b < graph.size(); ++b) matrix.mutable_at(a, b) = graph.conflicts(a).contains(b);
    }
    return matrix;
}

}  // namespace

void bind_packing(py::module_& module) {
    py::class_<PackingGraph>(module, "PackingGraph",
                             "The conflict graph of items: those that move a common vertex exclude each other in an\n"
                             "expression, and a refused set must not be complete in one. Searches end at Ctrl-C and\n"
                             "call report(nodes) with the number of nodes visited so far.")
        .def(py::init(&make_graph), py::arg("active"), py::arg("refused") = std::vector<std::vector<int>>{})
        .def("heaviest", &heaviest, py::arg("weights"), py::arg("allowed"), py::arg("node_limit"),
             py::arg("report") = py::none(),
             "Items of the expression with the largest weight; True if that is proven; the nodes visited.")
        .def("fewest", &fewest, py::arg("allowed"), py::arg("node_limit"), py::arg("sufficient") = 0,
             py::arg("report") = py::none(),
             "The expression of every item (-1: not allowed), as few as possible or at most `sufficient`; a lower "
             "bound\n"
             "of their number; True if it is reached; the nodes visited.")
        .def("clique", &clique, py::arg("allowed"), py::arg("node_limit"), py::arg("report") = py::none(),
             "The most items found that exclude each other pairwise; True if no larger such set exists.")
        .def_property_readonly("size", &PackingGraph::size)
        .def_property_readonly("conflicts", &conflicts, "(M, M) uint8: 1 if two items exclude each other.")
        .def_property_readonly("vertex_clique", &PackingGraph::vertex_clique,
                               "The items of the vertex that most items move.");
}

}  // namespace rigcast::bindings
