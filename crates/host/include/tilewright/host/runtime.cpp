// Everything of the host API that is not in its headers: compiled once, linked to every program.

#include "core.cpp"
#include "more.cpp"
