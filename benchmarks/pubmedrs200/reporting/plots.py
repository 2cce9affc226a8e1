"""Plots of a report, in one style, each drawn once and saved as SVG and PNG of the same bytes every
time: boxes (Figure 6 of the paper), recall against pool size, one mean against another.
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
from benchmarks.pubmedrs200.reporting.sharing import floor_text, places, text_title, unvalidated
from benchmarks.pubmedrs200.reporting.tables import fixed, one_line, quantile
from benchmarks.pubmedrs200.scoring.statistics import mean
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


def box_plots(material: ReportData) -> Iterator[Plot]:
    """One plot a metric that at least one system has values of."""
    for metric in material.summary.metrics:
        if metric == TIMES or metric in _YES_OR_NO:
            continue
        systems = [system for system in material.systems if material.values(system.label, metric)]
        if systems and not (metric in USED and nothing_used(material, metric)):
            yield _boxes(material, metric, systems)


def _boxes(material: ReportData, metric: str, systems: list[Named]) -> Plot:
    known = material.summary.metrics[metric]
    values = [material.values(system.label, metric) for system in systems]
    with figure(8.0, 1.1 + 0.27 * len(systems)) as (drawn, axes):
        drawing = axes.boxplot(
            values,
            orientation="horizontal",
            patch_artist=True,
            widths=0.62,
            showmeans=True,
            tick_labels=[shortened(text_title(system, metric)) for system in systems],
            flierprops={
                "marker": "o",
                "markersize": 2.2,
                "markeredgecolor": INK,
                "markeredgewidth": 0.4,
                "markerfacecolor": "none",
            },
            meanprops={
                "marker": "D",
                "markersize": 3.4,
                "markerfacecolor": "white",
                "markeredgecolor": INK,
                "markeredgewidth": 0.8,
            },
            medianprops={"color": INK, "linewidth": 1.4},
            boxprops={"edgecolor": INK, "linewidth": 0.8},
            whiskerprops={"color": INK, "linewidth": 0.8},
            capprops={"color": INK, "linewidth": 0.8},
        )
        for box, system in zip(drawing["boxes"], systems, strict=True):
            box.set_facecolor(COLOURS[system.colour])
            if not system.published:
                box.set_hatch("////")
        axes.invert_yaxis()
        if metric in USED:
            axes.set_xlim(left=0)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        direction = "" if known.better == "neither" else f" ({known.better} is better)"
        axes.set_xlabel(one_line(known.title) + direction)
        counts = [_count(material, system.label, metric) for system in systems]
        for place, count in enumerate(counts, 1):
            axes.text(
                1.01, place, count, transform=axes.get_yaxis_transform(), va="center", fontsize=7.5
            )
        _legend(
            axes, systems, _box_standing(material, metric, any(" of " in count for count in counts))
        )
        return finished(
            f"boxes-{_key(metric)}",
            f"Distribution of {known.title}",
            _box_words(known.title, systems, values, metric, material),
            drawn,
        )


def _count(material: ReportData, label: str, metric: str) -> str:
    """The questions that a box stands on, and how many of them were answered where not all were."""
    found = material.statistics(label, metric)
    if found is None or metric in OF_ALL or found.answered == found.n:
        return f"n = {len(material.values(label, metric))}"
    return f"{found.answered} of {found.n}"


def _box_standing(material: ReportData, metric: str, some_open: bool) -> str:
    """Return what a plot that is taken out of the report must still say."""
    known = material.summary.metrics[metric]
    parts = [f"Subset {one_line(material.summary.subset.name)}"]
    parts += [f"orientation {material.summary.orientation}"] if metric not in MEASURES else []
    parts += ["not validated"] if unvalidated(metric, known) else []
    text = (
        "; ".join(parts)
        + ". On the right: "
        + ("answered of all questions, n where all were." if some_open else "questions.")
    )
    if some_open and known.floor is not None:
        text += f" A question left open counts {floor_text(known.floor)}."
    return text


def _legend(axes, systems: list[Named], standing: str) -> None:  # type: ignore[no-untyped-def]  # matplotlib is imported late
    from matplotlib.patches import Patch

    used = [colour for colour in COLOURS if any(system.colour == colour for system in systems)]
    handles = [Patch(facecolor=COLOURS[colour], edgecolor=INK, label=colour) for colour in used]
    if any(not system.published for system in systems) and any(
        system.published for system in systems
    ):
        handles.append(Patch(facecolor=GRID, edgecolor=INK, hatch="////", label="ours"))
    axes.figure.legend(handles=handles, loc="outside lower center", ncols=3, **titled(standing))


def _key(metric: str) -> str:
    return "".join(
        character if character.isascii() and character.isalnum() else "-" for character in metric
    )


def shortened(title: str, most: int = 52) -> str:
    """A title that fits beside a plot."""
    line = one_line(title)
    return line if len(line) <= most else line[: most - 1] + "…"


def _box_words(
    title: str, systems: list[Named], values: list[list[float]], metric: str, material: ReportData
) -> str:
    shown = places(metric, material.summary.metrics[metric])
    counts = [_count(material, system.label, metric) for system in systems]
    parts = [
        (
            f"{one_line(text_title(system, metric))} {fixed(quantile(column, 0.5), shown)} "
            f"({fixed(quantile(column, 0.25), shown)} to {fixed(quantile(column, 0.75), shown)}; "
            f"{count})"
        )
        for system, column, count in zip(systems, values, counts, strict=True)
    ]
    return (
        (
            f"Box plot of {title} over the questions, one box a system: median (quartiles); "
            "whiskers reach to 1.5 times the distance "
            "of the quartiles, diamonds are means. "
            f"{_box_standing(material, metric, any(' of ' in count for count in counts))} "
        )
        + "; ".join(parts)
        + "."
    )


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
        if review is None or not review.references or answer.status == "leaked":
            continue
        if system.published:
            if answer.relevant is None or answer.irrelevant is None:
                continue
            pool = [*answer.relevant, *answer.irrelevant]
        elif answer.retrieved is not None:
            pool, ranked = list(answer.retrieved), True
        elif answer.status == "failed":
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
        from matplotlib.ticker import MaxNLocator

        lines, dots = 0, 0
        for curve in found:
            colour = COLOURS[curve.system.colour]
            title = f"{shortened(curve.system.answer_title)} (n = {curve.n})"
            if curve.ranked:
                depths = range(1, len(curve.recall) + 1)
                axes.plot(
                    depths,
                    curve.recall,
                    DASHES[lines % len(DASHES)],
                    color=colour,
                    linewidth=1.8,
                    label=title,
                )
                lines += 1
            else:
                marker = MARKERS[dots % len(MARKERS)]
                axes.plot(
                    [curve.size],
                    curve.recall,
                    marker,
                    color=colour,
                    markersize=7,
                    label=f"{title}, order not known",
                )
                dots += 1
        axes.set_xlabel("candidates before judging, in rank order (first k)")
        axes.set_ylabel("mean recall of the review's references")
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0)
        axes.figure.legend(loc="outside lower center", ncols=2, **titled(_pool_standing(material)))
        yield finished("pool", "Recall against pool size", _pool_words(found), drawn)


def _pool_standing(material: ReportData) -> str:
    subset = one_line(material.summary.subset.name)
    return (
        f"Subset {subset}; n: questions whose review lists references; without candidates recall "
        "is 0."
    )


def _pool_words(found: list[Curve]) -> str:
    parts = []
    for curve in found:
        steps = [depth for depth in (10, 50) if curve.ranked and depth < len(curve.recall)]
        early = "".join(
            f"{fixed(curve.recall[depth - 1], 3)} of the first {depth}, " for depth in steps
        )
        parts.append(
            f"{one_line(curve.system.answer_title)}: {early}{fixed(curve.recall[-1], 3)} of all "
            f"({fixed(curve.size, 1)} candidates "
            f"a question, n = {curve.n})"
        )
    return (
        (
            "Mean share of a review's references among the first k candidates before judging; "
            "reviews that list no references are left "
            "out; published runs tell no order and are points at their mean size. "
        )
        + "; ".join(parts)
        + "."
    )


SUPPORT: Final = ("sentences_supported", "sentences_supported_own")
OVERLAP: Final = ("rouge_l", "meteor", "chrf")
_SIZE: Final = 8.0
"""Of a marker, in points."""
_CLOSE: Final = 0.015
"""Share of the drawn range within which one marker hides another."""


@dataclass(frozen=True)
class Point:
    """A whole answer's means of two metrics."""

    system: Named
    x: float
    y: float


def scatter_plots(material: ReportData) -> Iterator[Plot]:
    """Quality against dollars and against tokens, and support against overlap, each where two
    metrics are known of a system.
    """
    known = material.summary.metrics
    quality = next((metric for metric in (*SUPPORT, *OVERLAP) if metric in known), None)
    for cost in ("cost_usd", "tokens"):
        if nothing_used(material, cost):
            continue
        if quality and (
            plot := _plot(
                material, f"cost-{cost.replace('_', '-')}", "Quality against cost", cost, quality
            )
        ):
            yield plot
    support = next((metric for metric in SUPPORT if metric in known), None)
    overlap = next((metric for metric in OVERLAP if metric in known), None)
    if (
        support
        and overlap
        and (
            plot := _plot(material, "support-overlap", "Support against overlap", overlap, support)
        )
    ):
        yield plot


def points(material: ReportData, x: str, y: str) -> list[Point]:
    """Every whole answer that has both means; text metrics are those of the text of both outputs,
    else of the synthesis.
    """
    answers: dict[str, Named] = {}
    for system in material.systems:
        answers.setdefault(system.answer, system)
    found = []
    for label, system in answers.items():
        across, up = _mean(material, label, x), _mean(material, label, y)
        if across is not None and up is not None:
            found.append(Point(system, across, up))
    return found


def beside(found: list[Point]) -> list[int]:
    """Return how many widths of a marker to the right each point is drawn, so that points that
    would hide one another stand in a row.
    """
    across, up = (
        max(values) - min(values) or 1.0
        for values in ([each.x for each in found], [each.y for each in found])
    )
    shifts: list[int] = []
    for place, point in enumerate(found):
        taken = {
            shifts[other]
            for other in range(place)
            if abs(found[other].x - point.x) / across < _CLOSE
            and abs(found[other].y - point.y) / up < _CLOSE
        }
        shifts.append(next(step for step in range(place + 1) if step not in taken))
    return shifts


def _mean(material: ReportData, answer: str, metric: str) -> float | None:
    texts = {system.output: system.label for system in material.systems if system.answer == answer}
    for output in ("", "both", "synthesis"):
        if (
            output in texts
            and (found := material.statistics(texts[output], metric))
            and found.mean is not None
        ):
            return found.mean
    return None


def _plot(material: ReportData, key: str, title: str, x: str, y: str) -> Plot | None:
    found = points(material, x, y)
    if not found:
        return None
    across, up = material.summary.metrics[x].title, material.summary.metrics[y].title
    shifts = beside(found)
    with figure(8.0, 4.8) as (drawn, axes):
        from matplotlib.transforms import ScaledTranslation

        for place, point in enumerate(found):
            axes.plot(
                [point.x],
                [point.y],
                MARKERS[place % len(MARKERS)],
                color=COLOURS[point.system.colour],
                markeredgecolor=INK,
                markeredgewidth=0.7,
                markersize=_SIZE,
                clip_on=False,
                label=f"{shortened(point.system.answer_title)}{_answered(material, point.system)}",
            )
        axes.set_xlabel(f"mean {one_line(across)} a question")
        axes.set_ylabel(f"mean {one_line(up)}")
        axes.margins(0.1)
        axes.autoscale_view()
        if x in USED or material.summary.metrics[x].low == 0:
            axes.set_xlim(left=0)
        if y in SUPPORT:
            axes.set_ylim(0, 1)  # whole, so that small differences do not look like large ones
        for line, shift in zip(axes.lines, shifts, strict=True):
            line.set_transform(
                axes.transData + ScaledTranslation(shift * _SIZE / 72, 0, drawn.dpi_scale_trans)
            )
        axes.figure.legend(
            loc="outside lower center", ncols=2, **titled(_standing(material, (y, x)))
        )
        return finished(
            key, f"{title}: {up} against {across}", _words(material, found, x, y), drawn
        )


def _answered(material: ReportData, system: Named) -> str:
    answered, asked = material.answered(system.label), len(material.asked(system.label))
    return "" if answered is None else f" ({answered} of {asked} answered)"


def _standing(material: ReportData, metrics: tuple[str, ...]) -> str:
    """Return what the means stand on, for a plot that is taken out of the report."""
    parts = [f"Subset {one_line(material.summary.subset.name)}"]
    for metric in metrics:
        known = material.summary.metrics[metric]
        if metric in OF_ALL:
            parts.append(f"{known.title}: where known")
        elif known.floor is None:
            parts.append(f"{known.title}: of answered questions alone")
        else:
            floor = floor_text(known.floor)
            parts.append(
                f"{known.title}: one left open counts {floor}, orientation "
                f"{material.summary.orientation}"
            )
    return one_line("; ".join(parts) + ".")


def _words(material: ReportData, found: list[Point], x: str, y: str) -> str:
    known = material.summary.metrics
    parts = [
        (
            f"{one_line(point.system.answer_title)}{_answered(material, point.system)} "
            f"{fixed(point.x, places(x, known[x]))} and "
            f"{fixed(point.y, places(y, known[y]))}"
        )
        for point in found
    ]
    return (
        (
            f"Mean {known[x].title} (across) and mean {known[y].title} (up), a point a system; "
            "systems without both are left out. "
            f"{_standing(material, (y, x))} "
        )
        + "; ".join(parts)
        + "."
        + (
            " Points that would hide one another are drawn side by side, the first in its place."
            if any(beside(found))
            else ""
        )
    )
