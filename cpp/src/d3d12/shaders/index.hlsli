// Reads index i of `indices`, of 8 to 64 bits in either byte order, as a 64-bit integer.
uint swap_bytes(uint word)
{
  word = (word << 16) | (word >> 16);
  return ((word & 0x00ff00ffu) << 8) | ((word >> 8) & 0x00ff00ffu);
}

uint2 load_index(uint i)
{
  if (p.size_log == 3u) {
    uint2 pair = uint2(indices[i * 2u], indices[i * 2u + 1u]);
    if (p.swapped != 0u) pair = uint2(swap_bytes(pair.y), swap_bytes(pair.x));
    return pair;
  }
  uint bits = 8u << p.size_log, per_word = 2u - p.size_log;
  uint word = indices[i >> per_word];
  uint left = 32u - bits, at = (i & ((1u << per_word) - 1u)) * bits;
  word = (word >> at) << left;  // the value's top bit is the word's
  if (p.swapped != 0u) word = swap_bytes(word) << left;
  if (p.is_signed == 0u) return uint2(word >> left, 0u);
  int value = (int)word >> left;
  return uint2((uint)value, (uint)(value >> 31));
}
