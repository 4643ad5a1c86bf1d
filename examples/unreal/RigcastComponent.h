// A component that deforms a procedural mesh by a rigcast model, for Unreal Engine 5. Compiled and run against
// stand-ins for Unreal's headers (stand_ins), not run in Unreal. Rigcast.Build.cs is the module of the library.
#pragma once
// clang-format off
#include "CoreMinimal.h"
#include "ProceduralMeshComponent.h"
#include <rigcast/rigcast_c.h>
#include "RigcastComponent.generated.h"  // UnrealHeaderTool wants it last, and outside of conditions
// clang-format on

UCLASS(meta = (BlueprintSpawnableComponent))
class URigcastComponent : public UProceduralMeshComponent {
    GENERATED_BODY()

public:
    /** Reads a model file and shows it at rest. Returns false, with a line in the log, if it is none. */
    UFUNCTION(BlueprintCallable, Category = "Rigcast")
    bool Open(const FString& Path);

    /** Shows a pose: 12 numbers per joint, then the numeric controls. On the game thread. */
    UFUNCTION(BlueprintCallable, Category = "Rigcast")
    bool SetPose(const TArray<float>& NewPose);

    /** Sets what artists turn; models whose poses plain kinematics or a mechanism decides. */
    UFUNCTION(BlueprintCallable, Category = "Rigcast")
    bool SetChannels(const TArray<double>& Channels);

    virtual void BeginDestroy() override;

private:
    void Close();
    void Show(bool bNew);

    rigcast_model* Model = nullptr;
    rigcast_session* Session = nullptr;
    rigcast_description About{};
    TArray<float> Numbers, Pose;
    TArray<FVector> Positions;
    TArray<int32> Triangles;
};
