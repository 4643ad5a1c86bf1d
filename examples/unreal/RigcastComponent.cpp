#include "RigcastComponent.h"

namespace {

/** True if a call worked; else its sentence is logged. Call first, then read: rigcast_error is of the last failure. */
bool Worked(rigcast_status Status) {
    if (Status == RIGCAST_OK) return true;
    UE_LOG(LogTemp, Error, TEXT("rigcast: %s"), UTF8_TO_TCHAR(rigcast_error()));
    return false;
}

/** Corners of triangles. A face has four corners, the last of them -1 in a triangle. They keep their order: the cross
 *  product of its edges points out of a face of the model, and into a front face of Unreal's renderer; between them
 * lies the mirror image of Show. */
TArray<int32> TrianglesOf(const rigcast_description& About) {
    TArray<int32> Corners;
    for (int64_t Face = 0; Face < About.faces; ++Face) {
        const int32_t* Corner = About.face_corners + 4 * Face;
        for (int32_t Last = 2; Last < (Corner[3] < 0 ? 3 : 4); ++Last) {
            Corners.Add(Corner[0]);
            Corners.Add(Corner[Last - 1]);
            Corners.Add(Corner[Last]);
        }
    }
    return Corners;
}

/** From the model's right-handed axes to Unreal's, left-handed and Z up: what looks along the z of a model with y up
 *  looks along Y, as meshes that Unreal imports of glTF do. */
FVector InUnreal(const float* Point, char UpAxis, double Scale) {
    const double X = Scale * Point[0], Y = Scale * Point[1], Z = Scale * Point[2];
    if (UpAxis == 'X') return FVector(-Y, Z, X);
    return UpAxis == 'Z' ? FVector(X, -Y, Z) : FVector(X, Z, Y);
}

}  // namespace

bool URigcastComponent::Open(const FString& Path) {
    Close();
    About.size = sizeof About;
    if (!Worked(rigcast_open(TCHAR_TO_UTF8(*Path), &Model)) || !Worked(rigcast_describe(Model, &About)) ||
        !Worked(rigcast_session_new(Model, &Session))) {
        Close();
        return false;
    }
    Numbers.SetNumZeroed(static_cast<int32>(3 * About.vertices));
    Pose.SetNumZeroed(static_cast<int32>(About.columns));
    Positions.SetNumZeroed(static_cast<int32>(About.vertices));
    Triangles = TrianglesOf(About);
    for (int32 i = 0; i < Numbers.Num(); ++i) Numbers[i] = About.rest_vertices[i];
    Show(true);
    return true;
}

bool URigcastComponent::SetPose(const TArray<float>& NewPose) {
    if (Session == nullptr) return false;
    if (!Worked(
            rigcast_session_evaluate(Session, NewPose.GetData(), NewPose.Num(), Numbers.GetData(), Numbers.Num()))) {
        return false;
    }
    Show(false);
    return true;
}

bool URigcastComponent::SetChannels(const TArray<double>& Channels) {
    if (Model == nullptr) return false;
    return Worked(rigcast_poses(Model, 1, Channels.GetData(), Channels.Num(), Pose.GetData(), Pose.Num())) &&
           SetPose(Pose);
}

void URigcastComponent::Show(bool bNew) {
    const double Scale = 100.0 * About.meters_per_unit;  // to centimeters
    for (int32 v = 0; v < Positions.Num(); ++v) {
        Positions[v] = InUnreal(Numbers.GetData() + 3 * v, About.up_axis[0], Scale);
    }
    if (bNew) {
        CreateMeshSection(0, Positions, Triangles, {}, {}, {}, {}, false);
    } else {
        UpdateMeshSection(0, Positions, {}, {}, {}, {});
    }
}

void URigcastComponent::Close() {
    rigcast_session_free(Session);
    rigcast_model_free(Model);
    Session = nullptr;
    Model = nullptr;
}

void URigcastComponent::BeginDestroy() {
    Close();
    Super::BeginDestroy();
}
