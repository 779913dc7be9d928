"""Makes the operation and the cases importable. `pytest --tilewright` gives `device`."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
