#pragma once
#include <pybind11/pybind11.h>

/// Arguments that functions take as any Python object and check by themselves, and results of several types. Each has
/// the annotation that signatures and stubs show.
#define RIGCAST_ARGUMENT(Name, annotation)                               \
    namespace rigcast::bindings {                                        \
    class Name : public pybind11::object {                               \
    public:                                                              \
        PYBIND11_OBJECT_DEFAULT(Name, pybind11::object, is_any)          \
                                                                         \
    private:                                                             \
        static bool is_any(PyObject*) { return true; }                   \
    };                                                                   \
    }                                                                    \
    template <>                                                          \
    struct pybind11::detail::handle_type_name<rigcast::bindings::Name> { \
        static constexpr auto name = const_name(annotation);             \
    };

RIGCAST_ARGUMENT(ArrayLike, "numpy.typing.ArrayLike")
RIGCAST_ARGUMENT(OptionalArray, "numpy.typing.ArrayLike | None")
RIGCAST_ARGUMENT(SkinWeightsLike, "numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike]")
RIGCAST_ARGUMENT(OutputArray, "numpy.typing.NDArray[numpy.float32] | None")
RIGCAST_ARGUMENT(NamesLike, "collections.abc.Sequence[str]")
RIGCAST_ARGUMENT(OptionalNames, "collections.abc.Sequence[str] | None")
RIGCAST_ARGUMENT(OptionalMetadata, "collections.abc.Mapping[str, builtins.object] | None")
RIGCAST_ARGUMENT(CombinationsLike,
                 "collections.abc.Iterable[tuple[collections.abc.Sequence[int | rigcast._blendshapes.Tent], "
                 "numpy.typing.ArrayLike]]")
RIGCAST_ARGUMENT(IntLike, "int")
RIGCAST_ARGUMENT(FloatLike, "float")

RIGCAST_ARGUMENT(TextLike, "str")
RIGCAST_ARGUMENT(OptionalSkeleton, "rigcast._core.Skeleton | None")
RIGCAST_ARGUMENT(CountCallback, "collections.abc.Callable[[int], None] | None")
RIGCAST_ARGUMENT(StepCallback, "collections.abc.Callable[[int, float], None] | None")
RIGCAST_ARGUMENT(DeviceFactory, "collections.abc.Callable[[rigcast._core.Deformer, str], builtins.object] | None")
RIGCAST_ARGUMENT(ResidentModelResult, "rigcast._cuda.ResidentModel")
RIGCAST_ARGUMENT(DeviceArrayResult, "rigcast._cuda.DeviceArray")

#undef RIGCAST_ARGUMENT
