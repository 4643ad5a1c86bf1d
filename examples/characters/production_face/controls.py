"""The controls that an artist turns: 150 named dials in [0, 1], in groups, and which of them has a published curve."""

from __future__ import annotations

from dataclasses import dataclass

BONE = "face"  # the bone whose custom properties are the dials: channels are named face.NAME
SIDES = {"L": "Left", "R": "Right"}
QUADRANTS = {"LT": "UpperLeft", "LB": "LowerLeft", "RT": "UpperRight", "RB": "LowerRight"}

# Controls of compskin_face_anim (without _L and _R) and ours (without Left and Right); our choice: neither states one.
CURVES_SIDED = {
    "browDown": "browDown",
    "cheekPuff": "cheekPuff",
    "cheekRaiser": "cheekSquint",
    "cheekSuck": "cheekSuck",
    "dimpler": "mouthDimple",
    "eyesClosed": "eyeBlink",
    "eyesLookDown": "eyeLookDown",
    "eyesLookUp": "eyeLookUp",
    "innerBrowRaiser": "browInnerUp",
    "lidTightener": "eyeSquint",
    "lipCornerDepressor": "mouthFrown",
    "lipCornerPuller": "mouthSmile",
    "lipPressor": "mouthPress",
    "lipPucker": "mouthPucker",
    "lipStretcher": "mouthStretch",
    "lipTightener": "lipTighten",
    "mouthLowerDown": "mouthLowerDown",
    "nasolabialFurrow": "nasolabialFurrow",
    "noseWrinkler": "noseSneer",
    "nostrilCompressor": "nostrilCompress",
    "nostrilDilator": "nostrilDilate",
    "outerBrowRaiser": "browOuterUp",
    "upperLidRaiser": "eyeWide",
    "upperLipRaiser": "mouthUpperUp",
}
CURVES_QUARTERED = {"lipFunneler": "mouthFunnel", "lipsToward": "lipsToward", "lipSuck": "mouthRoll"}
CURVES_SINGLE = {
    "chinRaiser_B": "mouthShrugLower",
    "chinRaiser_T": "mouthShrugUpper",
    "jawDrop": "jawOpen",
    "jawSidewaysLeft": "jawLeft",
    "jawSidewaysRight": "jawRight",
    "jawThrust": "jawForward",
    "mouthLeft": "mouthLeft",
    "mouthRight": "mouthRight",
    "eyesLookLeft_L": "eyeLookOutLeft",
    "eyesLookLeft_R": "eyeLookInRight",
    "eyesLookRight_L": "eyeLookInLeft",
    "eyesLookRight_R": "eyeLookOutRight",
}
# Dials without a curve: ARKit's that move both sides, and ours. A trailing * stands for Left and Right.
CONSTRUCTED = {
    "both sides": "browInnerUp cheekPuff mouthFunnel mouthPucker mouthRollUpper mouthRollLower mouthClose",
    "tongue": "tongueOut tongueUp tongueDown tongueLeft tongueRight tongueCurlUp tongueCurlDown tongueTwistLeft "
    "tongueTwistRight tongueWide tongueNarrow tongueArch",
    "eyes": "lidFollow* upperLidDown* lowerLidUp* lowerLidDown* pupilWide*",
    "brows": "browSqueeze* browOuterDown* foreheadTense*",
    "nose": "noseTipUp noseTipDown noseLeft noseRight",
    "lips": "lipsSticky* lipOutUpper* lipOutLower* lipThickUpper lipThickLower lipThinUpper lipThinLower "
    "lipBiteUpper lipBiteLower mouthUpperUpMiddle mouthLowerDownMiddle",
    "mouth": "cornerIn* cornerOut* sharpCornerPull* mouthUp mouthDown mouthForward mouthBack lipPuffUpper lipPuffLower",
    "jaw": "jawBack jawClench* chinForward chinBoss",
    "neck": "neckCords* neckTense* throatSwallow throatIn throatOut",
    "rest of the head": "earUp* earBack* scalpBack",
}
RESTS = {"lidFollowLeft": 1.0, "lidFollowRight": 1.0}


@dataclass(frozen=True)
class Control:
    """A dial: its group, its range and rest value, and the published curve that moves it (empty: none)."""

    name: str
    group: str
    curve: str = ""
    low: float = 0.0
    high: float = 1.0
    rest: float = 0.0


def controls() -> list[Control]:
    """All dials, in the order of the channels: those with a curve, then those without."""
    rows = [Control(ours, _group(ours), theirs) for theirs, ours in sorted(curve_table().items())]
    for group, names in CONSTRUCTED.items():
        for word in names.split():
            for name in (word[:-1] + "Left", word[:-1] + "Right") if word.endswith("*") else (word,):
                rows.append(Control(name, group, rest=RESTS.get(name, 0.0)))
    return rows


def curve_table() -> dict[str, str]:
    """Control of compskin_face_anim to ours, all 72."""
    table = dict(CURVES_SINGLE)
    for theirs, ours in CURVES_SIDED.items():
        table |= {f"{theirs}_{letter}": ours + side for letter, side in SIDES.items()}
    for theirs, ours in CURVES_QUARTERED.items():
        table |= {f"{theirs}_{letters}": ours + quadrant for letters, quadrant in QUADRANTS.items()}
    return table


def _group(name: str) -> str:
    groups = {"brow": "brows", "eye": "eyes", "nos": "nose", "jaw": "jaw", "cheek": "cheeks", "naso": "cheeks"}
    for start, group in groups.items():
        if name.startswith(start):
            return "cheeks" if name.startswith("naso") else group
    return "lips" if name.startswith("lip") or "Roll" in name or "Funnel" in name else "mouth"
