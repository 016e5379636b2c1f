"""A Dask cluster through joblib's backend gives the table of one worker."""
import joblib
import pandas as pd
import pytest

from dpfair_teach.experiments import sweep


def where(setting, repeats, rng):
    from distributed import get_worker
    try:
        get_worker()
        on_cluster = 1
    except ValueError:
        on_cluster = 0
    return [{"value": rng.random(), "on_cluster": on_cluster}]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the cluster's own
def test_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = [{"i": i} for i in range(6)]
    given = {"repeats": 1, "seed": 2, "command": "c", "progress": False}
    alone = sweep(where, settings, **given)
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None):
        with joblib.parallel_config(backend="dask"):
            cluster = sweep(where, settings, out=tmp_path / "x.csv", jobs=2, **given)
    pd.testing.assert_frame_equal(cluster.drop(columns="on_cluster"), alone.drop(columns="on_cluster"))
    assert set(alone["on_cluster"]) == {0} and set(cluster["on_cluster"]) == {1}
