"""Sweeps from Python: the same table from threads, processes and a Dask cluster."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
import tilewright

EXAMPLES = Path(__file__).parents[3] / "examples"
PLAN = {
    "subject": "eltwise",
    "shapes": ["32x32", "32x64", "64x40"],
    "inputs": ["uniform", "ramp"],
    "data_seeds": list(range(5)),
    "options": {"op": ["add", "mul"]},
}
LARGE = {
    "subject": "identity",
    "shapes": ["32x32", "20x40"],
    "inputs": ["uniform", "ramp", "constant", "normal", "alternating"],
    "data_seeds": list(range(100)),
    "seeds": [0, 7],
}
"""2,000 runs, each of them a tile or two."""
FOREIGN = {
    "subject": str(EXAMPLES / "softmax" / "program.toml"),
    "data_seeds": [0, 1],
    "cores": [1, 2],
    "options": {"rows": [32], "columns": [64]},
}


def results(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "results.csv").read_bytes(), (folder / "results.jsonl").read_bytes()


def needed(name: str):
    """A package that continuous integration has."""
    if os.environ.get("TILEWRIGHT_INSTALL") == "1":
        __import__(name)
    return pytest.importorskip(name)


def test_a_sweep_on_threads(tmp_path):
    seen = []
    swept = tilewright.sweep(PLAN, tmp_path, progress=lambda done, all: seen.append((done, all)))
    assert len(swept.rows) == 60 and swept.summary["pass"] == 60
    assert seen[-1] == (60, 60)
    assert (tmp_path / "sweep.html").stat().st_size > 1000
    again = tilewright.sweep(PLAN, tmp_path)
    assert again.summary["resumed"] == 60 and again.rows == swept.rows


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[bytes, bytes]:
    """The results of 2,000 runs that nothing has interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    assert tilewright.sweep(LARGE, folder).summary["pass"] == 2000
    return results(folder)


def test_what_was_interrupted_goes_on_and_ends_the_same(tmp_path, whole):
    def stop(done, all):
        if done == 700:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tilewright.sweep(LARGE, tmp_path, progress=stop)
    swept = tilewright.sweep(LARGE, tmp_path)
    assert 700 <= swept.summary["resumed"] < 2000
    assert results(tmp_path) == whole


def test_a_dask_cluster_of_processes_gives_the_same_table(tmp_path, whole):
    distributed = needed("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        swept = tilewright.sweep(LARGE, tmp_path, client.get_executor())
    assert swept.summary["resumed"] == 0
    assert results(tmp_path) == whole


def test_jobs_of_cpp_kernels_are_captures(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    swept = tilewright.sweep(FOREIGN, here)
    assert [row["verdict"] for row in swept.rows] == ["pass"] * 4
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        tilewright.sweep(FOREIGN, there, processes)
    assert results(there) == results(here)


def test_parquet_needs_its_package(tmp_path):
    swept = tilewright.Sweep([{"index": 0, "point": {"shape": "32x32"}, "findings": []}], {})
    try:
        import pyarrow.parquet
    except ImportError:
        with pytest.raises(RuntimeError, match="pip install pyarrow"):
            swept.to_parquet(tmp_path / "rows.parquet")
    else:
        table = pyarrow.parquet.read_table(swept.to_parquet(tmp_path / "rows.parquet"))
        assert table.column("shape").to_pylist() == ["32x32"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"shapes": ["32by32"]}, "is no shape"),
        ({"shape": ["32x32"]}, "unknown field"),
    ],
)
def test_bad_plans_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        tilewright.sweep({**PLAN, **change}, tmp_path)
