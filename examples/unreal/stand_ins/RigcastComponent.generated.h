// Stand-in: UnrealHeaderTool writes this file.
#pragma once
