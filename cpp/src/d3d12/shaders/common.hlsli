// In front of every shader.
#include "parameters.h"

#define GROUP 256u
#define NONE kNone
#define FILL 0xfffffffeu  // the slot of a tuple whose row is the fill value

// What becomes of a tuple out of range: C++'s Mode.
#define CLIP 1u
#define WRAP 2u
#define FILL_MODE 3u

static const uint4 kFour = uint4(0u, 1u, 2u, 3u);

// What is dispatched in several parts goes on from here.
cbuffer Part : register(b1)
{
  uint first_group;
};

// Groups beyond a dispatch's first dimension lie in its second.
uint group_of(uint3 group) { return first_group + group.y * kGroupsX + group.x; }
