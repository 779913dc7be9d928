void kernel_main() {}
