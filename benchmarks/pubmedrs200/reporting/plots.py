"""Plots of a report, in one style, each drawn once and saved as SVG and PNG of the same bytes every
time: boxes (Figure 6 of the paper), recall against pool size.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.pubmedrs200.measures.measuring import SPECS as MEASURES
from benchmarks.pubmedrs200.reporting.labels import Named, named
from benchmarks.pubmedrs200.reporting.material import OF_ALL, TIMES, Answer, ReportData
from benchmarks.pubmedrs200.reporting.sharing import floor_text, text_title, unvalidated
from benchmarks.pubmedrs200.reporting.tables import one_line
from benchmarks.pubmedrs200.scoring.statistics import FEW, mean
from clinfo.extras import needed
from pubmedrs.records import Review

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INK: Final = "#1b1c1d"
GRID: Final = "#d6d7d8"
COLOURS: Final = {
    "no retrieval": "#7f7f7f",
    "restricted search": "#0072b2",
    "source dropped": "#e69f00",
    "unrestricted search": "#009e73",
    "other": "#cc79a7",
}
"""By `Named.colour`: Okabe and Ito's colours, told apart by all common kinds of colour vision
(Wong, Nature Methods 2011).
"""
MARKERS: Final = "osD^vP*X<>ph"
DASHES: Final = ("-", "--", "-.", ":")

_SETTINGS: Final[dict[str, Any]] = {
    "svg.hashsalt": "pubmedrs",
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "text.usetex": False,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.dpi": 100,
}


@dataclass(frozen=True)
class Plot:
    """A finished plot. ``alt`` says in words what it shows, with the key figures."""

    key: str
    title: str
    alt: str
    svg: str
    png: bytes


@contextmanager
def figure(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """An empty figure of so many inches in the report's style, whatever settings the user's
    matplotlib has.
    """
    matplotlib = needed("matplotlib", "plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        yield drawn, drawn.add_subplot()


def titled(standing: str) -> dict[str, Any]:
    """Return what the figures stand on, above a legend, so that a plot taken out of the report
    still says it.
    """
    return {"title": textwrap.fill(standing, 140), "title_fontsize": 7.5}


def finished(key: str, title: str, alt: str, drawn: Figure) -> Plot:
    """Both files of a figure: no date, no version, no path in them."""
    svg, png = io.StringIO(), io.BytesIO()
    drawn.savefig(svg, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawn.savefig(png, format="png", dpi=200, metadata={"Software": None}, facecolor="white")
    text = svg.getvalue().replace(
        "font-family: 'DejaVu Sans'", "font-family: 'DejaVu Sans', Verdana, sans-serif"
    )
    text = re.sub(r"(font: [^;\"]*)'DejaVu Sans'", r"\1'DejaVu Sans', Verdana, sans-serif", text)
    return Plot(key, title, alt, text, png.getvalue())


def inline(plot: Plot) -> str:
    """The SVG as part of an HTML page: ids of its own, the page's ink and grid colours, the page's
    width.
    """
    body = plot.svg[plot.svg.index("<svg") :]
    body = re.sub(r'\bid="([^"]+)"', lambda match: f'id="{plot.key}-{match[1]}"', body)
    body = re.sub(
        r'(xlink:href="#|url\(#)([^")]+)', lambda match: f"{match[1]}{plot.key}-{match[2]}", body
    )
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    opening, rest = body.split(">", 1)
    opening = re.sub(r'\s(?:width|height)="[^"]*"', "", opening)
    return (
        (opening + ' aria-hidden="true" focusable="false">' + rest)
        .replace(INK, "currentColor")
        .replace(GRID, "var(--line)")
    )


_YES_OR_NO: Final = {"exact_match", "source_included", "abstained"}
"""Metrics of 0 or 1, whose boxes would say nothing."""
USED: Final = ("tokens", "cost_usd")
"""Amounts that an answer used up; never below 0, and nothing to draw where nobody used any."""


def nothing_used(material: ReportData, metric: str) -> bool:
    """Return whether every value of a measure is 0."""
    return not any(
        value for system in material.systems for value in material.values(system.label, metric)
    )


def _standing(material: ReportData, metric: str, more: str = "") -> str:
    """Return what a plot that is taken out of the report must still say."""
    parts = [f"Subset {one_line(material.summary.subset.name)}"]
    parts += [f"orientation {material.summary.orientation}"] if metric not in MEASURES else []
    known = material.summary.metrics.get(metric)
    parts += ["not validated"] if known and unvalidated(metric, known) else []
    if known and known.floor is not None and metric not in OF_ALL:
        parts.append(f"a question left open counts {floor_text(known.floor)}")
    return "; ".join(parts) + f".{more}"


def box_plots(material: ReportData) -> Iterator[Plot]:
    """One plot a metric that at least one system has values of; of somebody's own questions, of
    enough of them to say something.
    """
    least = FEW if material.own else 1
    for metric in material.summary.metrics:
        if metric == TIMES or metric in _YES_OR_NO:
            continue
        systems = [system for system in material.systems if material.values(system.label, metric)]
        most = max((len(material.values(one.label, metric)) for one in systems), default=0)
        if most >= least and not (metric in USED and nothing_used(material, metric)):
            yield _boxes(material, metric, systems)


def _boxes(material: ReportData, metric: str, systems: list[Named]) -> Plot:
    known = material.summary.metrics[metric]
    with figure(8.0, 1.1 + 0.27 * len(systems)) as (drawn, axes):
        from matplotlib.patches import Patch

        drawing = axes.boxplot(
            [material.values(system.label, metric) for system in systems],
            orientation="horizontal", patch_artist=True, widths=0.62, showmeans=True,
            tick_labels=[shortened(text_title(system, metric)) for system in systems],
            flierprops={"marker": "o", "markersize": 2.2, "markerfacecolor": "none"},
            meanprops={"marker": "D", "markersize": 3.4, "markerfacecolor": "white",
                       "markeredgecolor": INK},
            medianprops={"color": INK, "linewidth": 1.4},
        )  # fmt: skip
        for place, (box, system) in enumerate(zip(drawing["boxes"], systems, strict=True), 1):
            box.set_facecolor(COLOURS[system.colour])
            box.set_hatch("" if system.published else "////")
            count = _count(material, system.label, metric)
            across = axes.get_yaxis_transform()
            axes.text(1.01, place, count, transform=across, va="center", fontsize=7.5)
        axes.invert_yaxis()
        if metric in USED:
            axes.set_xlim(left=0)
        axes.grid(visible=False, axis="y")
        direction = "" if known.better == "neither" else f" ({known.better} is better)"
        axes.set_xlabel(one_line(known.title) + direction)
        used = [colour for colour in COLOURS if any(one.colour == colour for one in systems)]
        handles = [Patch(facecolor=COLOURS[colour], edgecolor=INK, label=colour) for colour in used]
        if len({system.published for system in systems}) > 1:
            handles.append(Patch(facecolor=GRID, edgecolor=INK, hatch="////", label="ours"))
        more = " On the right: questions, or those answered of all."
        standing = _standing(material, metric, more)
        axes.figure.legend(handles=handles, loc="outside lower center", ncols=3, **titled(standing))
        alt = (
            f"Box plot of {known.title} over the questions, one box a system; whiskers reach to "
            f"1.5 times the distance of the quartiles, diamonds are means. {standing}"
        )
        return finished(f"boxes-{_key(metric)}", f"Distribution of {known.title}", alt, drawn)


def _count(material: ReportData, label: str, metric: str) -> str:
    """The questions that a box stands on, and how many of them were answered where not all were."""
    found = material.statistics(label, metric)
    if found is None or metric in OF_ALL or found.answered == found.n:
        return f"n = {len(material.values(label, metric))}"
    return f"{found.answered} of {found.n}"


def _key(metric: str) -> str:
    return re.sub("[^A-Za-z0-9]", "-", metric)


def shortened(title: str, most: int = 52) -> str:
    """A title that fits beside a plot."""
    line = one_line(title)
    return line if len(line) <= most else line[: most - 1] + "…"


@dataclass(frozen=True)
class Curve:
    """``recall[k - 1]`` is the mean recall of the first k candidates over ``n`` questions whose
    reviews list references. ``size`` is the mean count of candidates. Without a known order
    ``recall`` holds only the recall of all of them."""

    system: Named
    recall: tuple[float, ...]
    n: int
    size: float
    ranked: bool


def curves(material: ReportData) -> list[Curve]:
    """A curve for each whole answer whose candidates are known, over scored questions; those that
    got none count recall 0.
    """
    found, scored = [], set(material.questions)
    for label, answers in material.scored_answers.items():
        held = {id: answer for id, answer in answers.items() if id in scored}
        if curve := _curve(named(label), held, material.reviews):
            found.append(curve)
    return found


def _curve(
    system: Named, answers: Mapping[str, Answer], reviews: Mapping[str, Review]
) -> Curve | None:
    pools: list[tuple[list[str], set[str]]] = []
    ranked = False
    for id, answer in answers.items():
        review = reviews.get(id)
        record = answer.record
        if review is None or not review.references or record.status == "leaked":
            continue
        if system.published:
            if record.relevant is None or record.irrelevant is None:
                continue
            pool = [*record.relevant, *record.irrelevant]
        elif record.retrieved is not None:
            pool, ranked = list(record.retrieved), True
        elif record.status == "failed":
            pool = []
        else:
            continue
        pools.append((list(dict.fromkeys(pool)), set(review.references)))
    if not pools or not any(pool for pool, _ in pools):
        return None
    deepest = max(len(pool) for pool, _ in pools)
    depths = range(1, deepest + 1) if ranked else [deepest]
    recall = tuple(
        mean([len(set(pool[:depth]) & wanted) / len(wanted) for pool, wanted in pools])
        for depth in depths
    )
    return Curve(system, recall, len(pools), mean([float(len(pool)) for pool, _ in pools]), ranked)


def pool_plots(material: ReportData) -> Iterator[Plot]:
    """One plot of all curves, none where no candidates are known."""
    found = curves(material)
    if not found:
        return
    with figure(8.0, 4.6) as (drawn, axes):
        for place, curve in enumerate(found):
            label = f"{shortened(curve.system.answer_title)} (n = {curve.n})"
            colour = COLOURS[curve.system.colour]
            if curve.ranked:
                depths = range(1, len(curve.recall) + 1)
                dashes = DASHES[place % len(DASHES)]
                axes.plot(depths, curve.recall, dashes, color=colour, linewidth=1.8, label=label)
            else:
                label, marker = f"{label}, order not known", MARKERS[place % len(MARKERS)]
                axes.plot([curve.size], curve.recall, marker, color=colour, label=label)
        axes.set_xlabel("candidates before judging, in rank order (first k)")
        axes.set_ylabel("mean recall of the review's references")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        standing = _standing(
            material, "retrieval_recall",
            " n: questions whose review lists references; without candidates recall is 0.",
        )  # fmt: skip
        axes.figure.legend(loc="outside lower center", ncols=2, **titled(standing))
        alt = (
            "Mean share of a review's references among the first k candidates before judging; "
            f"published runs tell no order and are points at their mean size. {standing}"
        )
        yield finished("pool", "Recall against pool size", alt, drawn)
