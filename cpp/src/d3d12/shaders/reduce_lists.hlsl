// reduce, where the tuples of a row are a list.
#define LISTS 1
#include "reduce.hlsl"
