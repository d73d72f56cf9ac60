// Where the tuples of one slot in a group meet: each bin is owned by one of the slots that hash to it.
#define BINS (1u << BINS_LOG)

uint bin_of(uint slot) { return (slot * 2654435761u) >> (32u - BINS_LOG); }
