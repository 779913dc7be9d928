// Stub of the reader: reads nothing.

void kernel_main() {}
