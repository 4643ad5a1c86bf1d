#pragma once
#include <pybind11/pybind11.h>

/// Arguments that functions take as any Python object and check by themselves, and results of several types. Each has
/// the annotation that signatures and stubs show.
#define RIGWRIGHT_ARGUMENT(Name, annotation)                               \
    namespace rigwright::bindings {                                        \
    class Name : public pybind11::object {                                 \
    public:                                                                \
        PYBIND11_OBJECT_DEFAULT(Name, pybind11::object, is_any)            \
                                                                           \
    private:                                                               \
        static bool is_any(PyObject*) { return true; }                     \
    };                                                                     \
    }                                                                      \
    template <>                                                            \
    struct pybind11::detail::handle_type_name<rigwright::bindings::Name> { \
        static constexpr auto name = const_name(annotation);               \
    };

RIGWRIGHT_ARGUMENT(ArrayLike, "numpy.typing.ArrayLike")
RIGWRIGHT_ARGUMENT(OptionalArray, "numpy.typing.ArrayLike | None")
RIGWRIGHT_ARGUMENT(SkinWeightsLike, "numpy.typing.ArrayLike | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike]")
RIGWRIGHT_ARGUMENT(OutputArray, "numpy.typing.NDArray[numpy.float32] | None")
RIGWRIGHT_ARGUMENT(NamesLike, "collections.abc.Sequence[str]")
RIGWRIGHT_ARGUMENT(OptionalNames, "collections.abc.Sequence[str] | None")
RIGWRIGHT_ARGUMENT(OptionalMetadata, "collections.abc.Mapping[str, builtins.object] | None")
RIGWRIGHT_ARGUMENT(CombinationsLike,
                   "collections.abc.Iterable[tuple[collections.abc.Sequence[int | rigwright._blendshapes.Tent], "
                   "numpy.typing.ArrayLike]]")
RIGWRIGHT_ARGUMENT(IntLike, "int")
RIGWRIGHT_ARGUMENT(FloatLike, "float")

RIGWRIGHT_ARGUMENT(TextLike, "str")
RIGWRIGHT_ARGUMENT(OptionalSkeleton, "rigwright._core.Skeleton | None")
RIGWRIGHT_ARGUMENT(CountCallback, "collections.abc.Callable[[int], None] | None")
RIGWRIGHT_ARGUMENT(StepCallback, "collections.abc.Callable[[int, float], None] | None")
RIGWRIGHT_ARGUMENT(HostOrDeviceArray, "builtins.object")

#undef RIGWRIGHT_ARGUMENT
