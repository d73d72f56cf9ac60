// See test_plain_stack.cpp.
int inner();

extern "C" int outer() { return inner() + 1; }
