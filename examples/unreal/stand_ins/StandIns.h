// Stand-ins for what RigcastComponent uses of Unreal, so that it is compiled and run by the tests of this project.
#pragma once
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#define UCLASS(...)
#define UFUNCTION(...)
#define GENERATED_BODY() using Super = UProceduralMeshComponent;
#define TEXT(x) x
#define UE_LOG(category, level, ...) (std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr))
#define UTF8_TO_TCHAR(x) (x)
#define TCHAR_TO_UTF8(x) (x)

using int32 = std::int32_t;

struct FVector {
    FVector(double x = 0, double y = 0, double z = 0) : X(x), Y(y), Z(z) {}
    double X, Y, Z;
};
struct FVector2D {};
struct FColor {};
struct FProcMeshTangent {};

template <class T>
class TArray {
public:
    TArray() = default;
    TArray(std::initializer_list<T> values) : values_(values) {}
    int32 Num() const { return static_cast<int32>(values_.size()); }
    T* GetData() { return values_.data(); }
    const T* GetData() const { return values_.data(); }
    T& operator[](int32 i) { return values_[static_cast<std::size_t>(i)]; }
    const T& operator[](int32 i) const { return values_[static_cast<std::size_t>(i)]; }
    void Add(const T& value) { values_.push_back(value); }
    void SetNumZeroed(int32 count) { values_.assign(static_cast<std::size_t>(count), T()); }

private:
    std::vector<T> values_;
};

class FString {
public:
    FString(const char* text) : text_(text) {}
    const char* operator*() const { return text_.c_str(); }

private:
    std::string text_;
};

class UProceduralMeshComponent {
public:
    virtual ~UProceduralMeshComponent() = default;
    virtual void BeginDestroy() {}
    void CreateMeshSection(int32, const TArray<FVector>& positions, const TArray<int32>& corners,
                           const TArray<FVector>&, const TArray<FVector2D>&, const TArray<FColor>&,
                           const TArray<FProcMeshTangent>&, bool) {
        shown = positions;
        triangles = corners;
    }
    void UpdateMeshSection(int32, const TArray<FVector>& positions, const TArray<FVector>&, const TArray<FVector2D>&,
                           const TArray<FColor>&, const TArray<FProcMeshTangent>&) {
        shown = positions;
    }

    TArray<FVector> shown;
    TArray<int32> triangles;
};
