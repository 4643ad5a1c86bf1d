#include "bindings/models/channels.h"

#include <pybind11/stl.h>

#include <optional>

#include "bindings/bindings.h"
#include "bindings/convert/arrays.h"
#include "bindings/convert/poses.h"
#include "bindings/convert/released_gil.h"
#include "bindings/convert/scalars.h"
#include "rigcast/rig/rotations/channel_angles.h"

namespace rigcast::bindings {
namespace {

using rig::Channel;
using rig::ChannelKind;
using rig::Channels;

/// A channel in Python: with its index in the list and the name of its joint.
struct ListedChannel {
    Channel channel;
    std::optional<std::string> joint;
    std::int64_t index;
};

py::list listed(const Channels& channels, const rig::Skeleton& skeleton) {
    py::list list;
    for (const Channel& channel : channels.list()) {
        std::optional<std::string> joint;
        if (channel.joint >= 0) joint = skeleton.names()[static_cast<std::size_t>(channel.joint)];
        list.append(py::cast(ListedChannel{channel, joint, static_cast<std::int64_t>(list.size())}));
    }
    return list;
}

std::string channel_line(const ListedChannel& c) {
    const auto number = [](double x) { return py::str("{:g}").format(x).cast<std::string>(); };
    const std::string unit = c.channel.unit();
    std::string line = "<rigcast.Channel " + std::to_string(c.index) + " " +
                       py::repr(py::str(c.channel.name)).cast<std::string>() + ": " +
                       rig::channel_kind_names[static_cast<std::size_t>(c.channel.kind)];
    if (c.joint) line += " of " + *c.joint;
    line += ", " + number(c.channel.low) + " to " + number(c.channel.high);
    if (!unit.empty()) line += unit == "rig" ? " rig units" : " " + unit;
    line += ", rest " + number(c.channel.rest);
    if (!c.channel.reason.empty()) line += "; not plain kinematics: " + c.channel.reason;
    return line + ">";
}

Array<float> poses_of(const Channels& channels, const ArrayLike& values, std::int64_t width,
                      Channels::Undecided undecided) {
    const char* function = "poses_from_channels";
    const py::array any = py::array::ensure(values);
    if (!any) PyErr_Clear();
    const bool single = any && any.ndim() == 1;
    const char* must = "an array of numbers (T, N) or (N,)";
    Array<double> input;
    if (single) {
        Array<double> row = as_array<double, 1>(function, "channels", values, must);
        input = Array<double>(row.reshape({py::ssize_t{1}, row.shape(0)}));
    } else {
        input = as_array<double, 2>(function, "channels", values, must);
    }
    Array<float> output({input.shape(0), static_cast<py::ssize_t>(width)});
    {
        const auto in = view<double, 2>(input);
        const auto out = writable<float, 2>(output);
        const ReleasedGil released;
        channels.poses(in, out, undecided);
    }
    return single ? Array<float>(output.reshape({static_cast<py::ssize_t>(width)})) : output;
}

py::tuple channels_of(const Channels& channels, const ArrayLike& poses) {
    const auto [input, single] = as_poses("channels_from_poses", poses);
    Array<float> found({input.shape(0), static_cast<py::ssize_t>(channels.size())});
    Array<float> residuals(input.shape(0));
    {
        const auto in = view<float, 2>(input);
        const auto out = writable<float, 2>(found);
        const auto residual_view = writable<float, 1>(residuals);
        const ReleasedGil released;
        channels.channels(in, out, residual_view);
    }
    if (!single) return py::make_tuple(found, residuals);
    return py::make_tuple(found.reshape({static_cast<py::ssize_t>(channels.size())}), residuals.at(0));
}

Array<double> fitted_angles(const ArrayLike& rotations, const std::string& order, const ArrayLike& ranges,
                            bool continuous) {
    const auto in = as_array<double, 3>("fit_angles", "rotations", rotations, "numbers (T, 3, 3)");
    const auto bounds = as_array<double, 2>("fit_angles", "ranges", ranges, "numbers (n, 2)");
    std::vector<int> axes;
    for (const char letter : order) axes.push_back(letter - 'X');
    Array<double> angles({in.shape(0), static_cast<py::ssize_t>(axes.size())});
    const auto out = writable<double, 2>(angles);
    const ReleasedGil released;
    rig::fit_angles(view<double, 3>(in), axes, view<double, 2>(bounds), continuous, out);
    return angles;
}

/// The channels of a skeleton without a model file.
struct ChannelRig {
    rig::Skeleton skeleton;
    Channels channels;
    std::int64_t width;
};

ChannelRig make_channel_rig(const std::string& entry, const OptionalSkeleton& skeleton,
                            const NamesLike& numeric_controls) {
    if (!skeleton.is_none() && !py::isinstance<rig::Skeleton>(skeleton)) {
        const std::string type = py::str(py::type::of(skeleton).attr("__name__"));
        throw bad_argument("Channels", "skeleton", "of type " + type, "a Skeleton or None");
    }
    rig::Skeleton joints = skeleton.is_none() ? rig::Skeleton() : skeleton.cast<const rig::Skeleton&>();
    const std::vector<std::string> dials = as_names("Channels", "numeric_controls", numeric_controls);
    Channels channels = rig::parse_channels(entry, joints, dials);
    const std::int64_t width = 12 * joints.num_joints() + static_cast<std::int64_t>(dials.size());
    return {std::move(joints), std::move(channels), width};
}

void bind_channel(py::module_& module) {
    const auto field = [](auto member) { return [member](const ListedChannel& c) { return c.channel.*member; }; };
    py::class_<ListedChannel>(
        module, "Channel",
        "A number that an artist sets on a rig. Immutable.\n"
        "\n"
        "Examples\n"
        "--------\n"
        ">>> data = rc.sampling.sample(rc.sources.example_body(), \"arm.rwdata\", count=50, seed=0)\n"
        ">>> rc.baselines.linear_blend(data, influences=4).channels[0].name\n"
        "'shoulder.rz'")
        .def_property_readonly("name", field(&Channel::name))
        .def_property_readonly(
            "kind",
            [](const ListedChannel& c) { return rig::channel_kind_names[static_cast<std::size_t>(c.channel.kind)]; },
            "\"rotate_x\" ... \"translate_x\" ... \"scale_x\" ... along the joint's rest axes, \"dial\" (the numeric\n"
            "control of the same name), \"control\" (what constraints, drivers and inverse kinematics of the rig pass "
            "on),\n"
            "or \"other\" (something that the rig does not describe).")
        .def_property_readonly(
            "joint", [](const ListedChannel& c) { return c.joint; }, "Name of the joint; None for a dial.")
        .def_property_readonly(
            "index", [](const ListedChannel& c) { return c.index; }, "Its column in channels (T, N).")
        .def_property_readonly("place", field(&Channel::place),
                               "Position of a rotation in its joint's product, 0 leftmost (column vectors).")
        .def_property_readonly("low", field(&Channel::low))
        .def_property_readonly("high", field(&Channel::high))
        .def_property_readonly("rest", field(&Channel::rest))
        .def_property_readonly(
            "unit", [](const ListedChannel& c) { return c.channel.unit(); },
            "\"degrees\", \"rig\" (the rig's unit of length) or \"\".")
        .def_property_readonly("whole", field(&Channel::whole), "True if the rig rounds the dial to a whole number.")
        .def_property_readonly(
            "follows_kinematics", [](const ListedChannel& c) { return c.channel.reason.empty(); },
            "True if plain kinematics, or the rig's own constraints, drivers and inverse kinematics as the model "
            "keeps\n"
            "them, decide the effect of the channel.")
        .def_property_readonly("reason", field(&Channel::reason),
                               "Why nothing that the model knows decides it; empty if something does.")
        .def("__repr__", &channel_line);
}

}  // namespace

void add_channels(py::class_<rig::Deformer, std::shared_ptr<rig::Deformer>>& model) {
    using rig::Deformer;
    model
        .def_property_readonly(
            "channels", [](const Deformer& m) { return listed(m.character().channels, m.character().skeleton); },
            "The artist's controls, a list of N Channel; empty if the model file has none.")
        .def(
            "poses_from_channels",
            [](const Deformer& m, const ArrayLike& values) {
                return poses_of(m.character().channels, values, m.character().num_controls(),
                                Channels::Undecided::refuse);
            },
            py::arg("channels"),
            "Poses (T, C) float32 of channels (T, N), or (C,) of (N,), by plain kinematics: for column vectors, the\n"
            "pose of a joint is rest_local T(translations) R_a R_b ... S(scales) in its rotation order; dials are\n"
            "copied to the numeric controls. If the model keeps the mechanism of its rig (constraints, drivers, "
            "inverse\n"
            "kinematics), that poses the joints, without the program of the rig; metadata[\"mechanism_error\"] says "
            "how\n"
            "far vertices are off by it on held-out poses. ValueError if something unknown decides a pose, with the "
            "names\n"
            "of its channels, or if the model file has no channels.")
        .def(
            "channels_from_poses",
            [](const Deformer& m, const ArrayLike& poses) { return channels_of(m.character().channels, poses); },
            py::arg("poses"),
            "Channels (T, N) float32 of poses (T, C), and residuals (T,): the largest absolute difference between the\n"
            "given pose and the pose of the channels found. Angles are inside their ranges if possible, and\n"
            "continuous from frame to frame. With a mechanism: least squares inside the ranges; channels without "
            "effect\n"
            "stay at rest. One pose (C,) gives (N,) and a number. ValueError as for\n"
            "poses_from_channels.");
}

void bind_channels(py::module_& module) {
    bind_channel(module);
    py::class_<ChannelRig>(module, "Channels",
                           "The channels of a skeleton, and the conversion to poses and back. Immutable.")
        .def(py::init(&make_channel_rig), py::arg("entry"), py::arg("skeleton"), py::arg("numeric_controls"),
             "entry: JSON text of the entry \"channels\" of a model file. skeleton: a Skeleton, or None.")
        .def_property_readonly("list", [](const ChannelRig& c) { return listed(c.channels, c.skeleton); })
        .def(
            "poses",
            [](const ChannelRig& c, const ArrayLike& values, bool ignore) {
                return poses_of(c.channels, values, c.width,
                                ignore ? Channels::Undecided::ignore : Channels::Undecided::refuse);
            },
            py::arg("channels"), py::arg("ignore_undecided") = false,
            "As Deformer.poses_from_channels; ignore_undecided: what plain kinematics alone would give.")
        .def(
            "channels", [](const ChannelRig& c, const ArrayLike& poses) { return channels_of(c.channels, poses); },
            py::arg("poses"), "As Deformer.channels_from_poses.");
    module.def(
        "fit_angles", &fitted_angles, py::arg("rotations"), py::arg("order"), py::arg("ranges"),
        py::arg("continuous") = false,
        "Euler angles (T, n) in degrees of rotations (T, 3, 3), for an order of one to three letters X, Y, Z, "
        "leftmost\n"
        "rotation first: of all solutions the one that exceeds the ranges (n, 2) least, then the one nearest to the\n"
        "previous frame (continuous) or to zero. With two axes, a third angle between them is dropped; with one, the\n"
        "angle is that of the nearest rotation. ValueError if the order or a shape is wrong, a number is not finite, "
        "or\n"
        "a lowest angle exceeds the highest.");
}

}  // namespace rigcast::bindings
