// In front of every shader. The host knows the same numbers (kernels.hpp, kernel.cpp).
#define GROUP 256u
#define NONE 0xffffffffu  // the slot of a tuple that is left out
#define FILL 0xfffffffeu  // the slot of a tuple whose row is the fill value

// Groups beyond a dispatch's first dimension lie in its second.
uint group_of(uint3 group) { return group.y * 32768u + group.x; }
