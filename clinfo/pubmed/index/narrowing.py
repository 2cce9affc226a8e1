"""A cheap look at which documents a plan can find at all, before the plan is evaluated.

The search engine evaluates a union of common words over all documents, even where the rare words
that it is joined with leave a handful. So the common conjuncts of a plan are left out first: what
the rest finds holds all that the plan finds, and is often nothing, or little.
"""

from collections.abc import Callable
from typing import NamedTuple

from clinfo.pubmed.index.schema import KEYS, written
from clinfo.pubmed.plan import All, AnyOf, Keys, Phrase, Plan, Unscored, Without

MARGIN = 16
"""A conjunct is kept that may find up to so many times as much as the rarest."""
SPARED = 3
"""The narrower plan is worth asking where it reads at most one of so many entries of the lists."""


class Narrow(NamedTuple):
    """A plan that finds at least what another one does: at most how many documents, and about how
    many entries of the index's lists are read for it and for the other.
    """

    plan: Plan
    most: int
    work: int
    whole: int

    @property
    def pays(self) -> bool:
        """Return whether it is worth being asked first."""
        return self.work * SPARED <= self.whole


def narrowed(plan: Plan, frequency: Callable[[str, str], int], total: int) -> Narrow:
    """The plan without its common conjuncts. ``frequency`` tells how many documents hold a term of
    a field, ``total`` how many there are. By recursion, so for plans of few levels only.
    """
    if isinstance(plan, Phrase) and plan.words and not plan.prefix:
        counts = [[frequency(store, word) for word in plan.words] for store in plan.stores]
        most = min(sum(map(min, counts)), total)
        # The lists of a phrase are read where its rarest word stands, with the places in them.
        work = sum(min(each) * len(each) ** 2 for each in counts)
        return Narrow(plan, most, work, work)
    if isinstance(plan, Keys) and not plan.prefix:
        work = sum(frequency(KEYS, f"{plan.store}:{written(key)}") for key in plan.keys)
        return Narrow(plan, min(work, total), work, work)
    if isinstance(plan, Unscored):
        return narrowed(plan.plan, frequency, total)
    if isinstance(plan, Without):
        kept, excluded = (narrowed(one, frequency, total) for one in (plan.plan, plan.excluded))
        return kept._replace(whole=kept.whole + excluded.whole)
    if isinstance(plan, AnyOf | All) and plan.parts:
        parts = [narrowed(one, frequency, total) for one in plan.parts]
        whole = sum(one.whole for one in parts)
        if isinstance(plan, AnyOf):
            most = min(sum(one.most for one in parts), total)
            kept_parts = parts
        else:
            most = min(one.most for one in parts)
            kept_parts = [one for one in parts if one.most <= MARGIN * most]
        narrow = type(plan)(tuple(one.plan for one in kept_parts))
        return Narrow(narrow, most, sum(one.work for one in kept_parts), whole)
    return Narrow(plan, total, total, total)
