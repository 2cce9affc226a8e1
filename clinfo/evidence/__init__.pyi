from clinfo.evidence.design import level, stated_design, strength
from clinfo.evidence.forest import MOST_ROWS, POOL, PlotGroup, drawable, effects_plot
from clinfo.evidence.forest import pooled_plot as plot_of_pool
from clinfo.evidence.meta_analysis.analysis import PooledOutcome
from clinfo.evidence.meta_analysis.exports import metafor_csv, plain_csv, revman_csv
from clinfo.evidence.plot import image, limits
from clinfo.evidence.table import CONCERN, WORDS

__all__ = [
    "CONCERN",
    "MOST_ROWS",
    "POOL",
    "WORDS",
    "PlotGroup",
    "PooledOutcome",
    "drawable",
    "effects_plot",
    "image",
    "level",
    "limits",
    "metafor_csv",
    "plain_csv",
    "plot_of_pool",
    "revman_csv",
    "stated_design",
    "strength",
]
