// A part of a profiler that some sources include and do not use; there is nothing in it here.
#pragma once
