"""A list in criteria cut to its items, each with the connective before it."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pipelines.cohort.items import OR, Run, first_of, has_content
from clinfo.pipelines.cohort.phrases import Phrases
from clinfo.pipelines.cohort.shared_words import shared
from clinfo.pipelines.cohort.tokens import Token

_FRESH = ("with", "drug", "procedure", "family", "allergy", "not", "nor", "except", "denied")
_VERBS = ("have", "has", "had", "are", "is", "were", "did", "do")


def pieces_of(run: Run, phrases: Phrases) -> list[tuple[str, list[Token]]]:
    """The items, each with the connective before it: ",", "and" or "or". What a "no" denies
    stays in its item, up to a comma or a new cue; so does an adjective after its noun.
    """
    pieces: list[tuple[str, list[Token]]] = [("", [])]
    for token in run:
        if token.role in ("and", "or", ",", "nor"):
            mark, own = pieces[-1]
            if token.role == "," and not own:
                continue
            if token.role == "nor":
                pieces.append(("and", [Token("not", token.text)]))
            elif own:
                pieces.append((token.role, []))
            elif mark != "or" and token.role != ",":
                pieces[-1] = (token.role, [])
        else:
            pieces[-1][1].append(token)
    out: list[tuple[str, list[Token]]] = []
    kept = shared(_with_content(pieces), phrases)
    for at, (mark, piece) in enumerate(kept):
        last = out[-1][1] if out else []
        if _denied_too(last, kept, at):
            last += [OR, *piece]
        elif mark == "," and _is_adjective(phrases, last, piece):
            last += piece
        else:
            out.append((mark, piece))
    return out


def _with_content(pieces: Sequence[tuple[str, list[Token]]]) -> list[tuple[str, list[Token]]]:
    """The pieces that name something; cues that stand alone go with the piece before."""
    kept: list[tuple[str, list[Token]]] = []
    ahead: list[Token] = []
    for mark, piece in pieces:
        if has_content(piece):
            kept.append((mark, [*ahead, *piece]))
            ahead = []
        elif any(token.role not in ("filler", "with", "past") for token in piece):
            (kept[-1][1] if kept else ahead).extend(piece)
    return kept or ([("", ahead)] if ahead else [])


def _denied_too(last: Run, pieces: Sequence[tuple[str, Run]], at: int) -> bool:
    mark, piece = pieces[at]
    if not any(token.role in ("not", "except", "denied") for token in last):
        return False
    named = any(token.role in ("word", "name") for token in last)
    if mark == "," and not named and not any(one.role == "sign" for one in piece):
        return False  # "nobody over 80, gout or asthma"
    if mark == ",":
        following = [one for one in pieces[at + 1 :] if one[0] != ","][:1]
        up_to = pieces.index(following[0]) if following else at
        if not following or following[0][0] != "or":
            return False
        return not any(_is_fresh(one) for _, one in pieces[at : up_to + 1])
    return not _is_fresh(piece)


def _is_fresh(piece: Run) -> bool:
    signs = any(token.role == "sign" for token in piece)
    verb = first_of(piece, ()).text.lower() in _VERBS
    return signs or verb or first_of(piece, ("filler",)).role in _FRESH


def _is_adjective(phrases: Phrases, last: Run, piece: Run) -> bool:
    """Whether a piece only says of what kind the name before it is: "neck pain, chronic"."""
    if len(piece) > 2 or any(token.role != "word" for token in piece):
        return False
    own = [token.text for token in piece]
    nouns = [token.text for token in last if token.role in ("word", "name", "filler")]
    together = phrases.one([*own, *nouns]) if nouns else None
    return (
        together is not None
        and bool(together[1].above)
        and phrases.one(own) is None
        and phrases.one(nouns) is not None
    )
