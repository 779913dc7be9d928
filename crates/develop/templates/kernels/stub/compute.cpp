// Stub of the compute kernel: computes nothing.

void kernel_main() {}
