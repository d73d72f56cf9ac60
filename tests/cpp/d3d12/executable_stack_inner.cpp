// See test_plain_stack.cpp.
int inner() { return 41; }
