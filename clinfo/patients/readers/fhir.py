"""Reads FHIR R4 resources: notes of DocumentReference and DiagnosticReport, coded entries of the
kinds below, of FamilyMemberHistory and of Patient.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, cast

from clinfo.patients.assertion_cues import is_kin
from clinfo.patients.coded import polarity_of, standing_by_name, standing_of, taken_from
from clinfo.patients.collecting import Collection
from clinfo.patients.readers import fhir_fields as fields
from clinfo.patients.readers.fhir_fields import LOINC, Json
from clinfo.patients.readers.fhir_texts import sections_of, texts_of
from clinfo.patients.records import CodedEntry, Kind, Note, Standing
from clinfo.patients.times import day_span
from clinfo.text.lexicon import read_rows

_FINANCIAL = frozenset(
    ("Account", "ChargeItem", "Claim", "ClaimResponse", "Coverage", "ExplanationOfBenefit")
)
"""Kinds that say nothing of a patient's health: that they are not read is no news."""
_NAMING = ("Medication", "Substance", "Device", "Specimen")
"""Kinds that give others their names."""
_NOTES = ("DocumentReference", "Composition")
_DOCUMENTS = (*_NOTES, "DiagnosticReport")
_STRONGEST = ("void", "negated", "uncertain", "planned", "past", "", "present", "family")
"""What statuses say, from what takes most back of what another one says ("": not known)."""

_SEXES = {"f": "female", "w": "female", "m": "male"}
_OF_PATIENT = (("birth", "Birth date", "21112-8"), ("sex", "Sex", "46098-0"),
               ("death", "Deceased", "81956-5"))  # fmt: skip
_OF_SEVERAL = "{} deletions may be of several patients' resources, which are kept"
_NAMELESS = "entries named only by an address that is not among the files: {}"
_LASTING = ("condition", "medication", "encounter", "allergy", "device")
"""Kinds that are past when they have ended."""
FILE: Final = Path(__file__).with_name("fhir_resources.tsv")


@dataclass(frozen=True, slots=True)
class Form:
    """The kind of entry that a kind of resource, or of part of one, is read as, and the fields of
    its name, its times and what else it tells, in order; the words for the value of a part.
    """

    kind: Kind
    names: tuple[str, ...]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    told: tuple[str, ...] = ()
    value: str = ""
    alone: bool = True


@cache
def forms() -> dict[str, Form]:
    """The forms of the kinds of resources that are read as entries, and of their parts."""
    found = {}
    for name, kind, *fields_of, value in read_rows(FILE, 7):
        names, starts, ends, told = (tuple(one.strip("-").split()) for one in fields_of)
        own = cast(Kind, kind.strip("()"))
        found[name] = Form(own, names, starts, ends, told, value, alone=kind == own)
    return found


@cache
def parts_within(kind: str) -> dict[str, Form]:
    """The forms of the parts of a kind of resource, by the field that holds them."""
    own = ((name.partition("."), form) for name, form in forms().items())
    return {field: form for (whole, _, field), form in own if field and whole == kind}


def of_patient(patient: str, told: Mapping[str, str]) -> Iterator[CodedEntry]:
    """The entries of what is "told" of a patient: the birth, the sex, the death or that it was."""
    for key, name, own in _OF_PATIENT:
        if patient and (said := told.get(key, "")):
            said = _SEXES.get(said.lower(), said.lower()) if key == "sex" else said
            day = said if key == "death" and day_span(said) else ""
            made = CodedEntry(patient, "observation", name, own, LOINC, day, value=said)
            yield replace(made, loinc=own)


class FhirReader:
    """Reads resources one at a time; medicines that stand in resources of their own get their
    names with `finish`.

    A patient is called by the id alone on the first server that a Bundle names, by the whole
    address on any other one: 7 here is not 7 there.
    """

    def __init__(self, collection: Collection) -> None:
        self.to = collection
        self._named: dict[str, Json] = {}
        """The resources that give others their names, by id."""
        self._unnamed: list[tuple[CodedEntry, str, object]] = []
        self._own = ""
        self._binaries: dict[str, Json] = {}
        self._ids: dict[str, str] = {}
        """The ids of a Bundle's resources by the addresses that it gives them."""
        self._versions: dict[tuple[str, str], tuple[str, int]] = {}
        """The newest version read of each resource, by the patient and what it is called."""
        self._deleted: set[str] = set()
        self._identified: dict[tuple[str, str], str] = {}
        """The patients by their identifiers."""
        self._later: list[tuple[Json, str]] = []
        """The resources of a patient who is named by an identifier not met yet."""

    def read(self, resource: object, where: str, server: str = "", own: bool = True) -> None:
        """Read a resource, or those of a Bundle; ``where`` names its place in messages, ``server``
        is the address of where it comes from. One that is part of another is not its ``own``.
        """
        kind = str(resource.get("resourceType") or "") if isinstance(resource, dict) else ""
        if not isinstance(resource, dict) or not kind:
            self.to.skipped["not a resource"] += 1
            return
        if kind == "Bundle":
            self._bundle(resource, where)
            return
        if kind == "Patient":
            patient = self._called(server, str(resource.get("id") or ""))
            for own_id in fields.identifiers(resource):
                same = self._identified.get(own_id, patient) == patient
                self._identified[own_id] = patient if same else ""  # of two
            for one in fields.parts_of(resource, "link"):
                pair = sorted((patient, self._patient_of({"subject": one.get("other")}, server)))
                told = f"patients {' and '.join(pair)} are told to be one person; each is apart"
                if all(pair) and self.to.only in ("", *pair) and told not in self.to.problems:
                    self.to.problem(told)
        else:
            patient = self._patient_of(resource, server)
            if not patient and fields.identifiers(fields.about(resource)):
                self._later.append((resource, where))
                return
        error = fields.is_error(resource)
        if own and self._replaced(patient, kind, resource):
            self.to.skipped["replaced by a later version"] += 1
        elif kind in forms():
            if not self.lost(resource, patient) and self.to.wants(patient):
                if kind not in _NOTES:
                    self.entries(resource, patient, forms()[kind])
                if kind in _DOCUMENTS:
                    self._document(resource, f"{where}, {kind} {resource.get('id') or ''}", patient)
        elif kind == "Patient":
            self._patient(resource, patient)
        elif kind == "OperationOutcome":
            said = (one.get("diagnostics") for one in fields.parts_of(resource, "issue"))
            told = next((str(one)[:200] for one in said if one), "no reason is given")
            self.to.problem(f"{where}: a server's error in place of data: {told}")
        elif kind not in _NAMING:
            self.to.skipped[f"FHIR resources of the kind {kind[:40]}"] += 1
            billed = fields.at(resource, "diagnosis.diagnosisCodeableConcept")
            if patient and (billed or kind not in _FINANCIAL):
                self.to.unread[kind[:40]] += 1
        if kind in _NAMING:
            known = str(resource.get("id"))
            self._named[f"{kind}/{known}"] = self._named[known] = resource  # a urn tells no kind
        about = {key: resource[key] for key in ("subject", "patient") if key in resource}
        for one in () if error else fields.parts_of(resource, "contained"):
            if one.get("resourceType") in forms():
                self.read({**about, **one}, where, server, own=False)

    def _replaced(self, patient: str, kind: str, resource: Json) -> bool:
        """Return whether a resource was deleted or a newer version of it was read; what an older
        one told is taken back.
        """
        self.to.origin = None
        if not resource.get("id"):
            return False
        name = f"{kind}/{resource['id']}"
        own, version = (patient, name), fields.version(resource)
        known = self._versions.setdefault(own, version)
        if version < known:
            return True
        if version > known:
            self.to.forget(own)
            self._unnamed = [one for one in self._unnamed if one[2] != own]
            self._versions[own] = version
        self.to.origin = own
        return False

    def _bundle(self, bundle: Json, where: str) -> None:
        """Read the resources of a Bundle, once it is known how it calls them; note which it
        deletes, and tell of a page that is not here.
        """
        entries = fields.parts_of(bundle, "entry")
        told = Counter(map(fields.called, entries))
        for one in entries:
            inner, address = fields.part(one, "resource"), str(one.get("fullUrl") or "")
            if inner.get("resourceType") == "Binary":
                self._binaries |= {fields.called(one): inner, address: inner}
            if (called := fields.urn(address)) and inner.get("id"):
                self._ids[called] = fields.called(one)
        if "next" in (one.get("relation") for one in fields.parts_of(bundle, "link")):
            self.to.problem(f"{where}: the Bundle goes on with a page that is not among the files")
        for each in fields.newest(bundle):
            one = fields.part({"": each}, "")
            inner, address = fields.part(one, "resource"), str(one.get("fullUrl") or "")
            if fields.part(one, "request").get("method") == "DELETE":
                if told[fields.called(one)] == 1:  # else of what this Bundle tells
                    self._deleted.add(fields.called(one))
                continue
            if inner and (called := fields.urn(address)):
                inner = {"id": called, **inner}  # resources of a transaction have none
            server, kind, _ = fields.placed(address)
            server = server if kind == inner.get("resourceType") else ""
            self._own = self._own or server
            self.read(inner, where, server)

    def finish(self) -> None:
        """Keep the prescriptions whose medicine was not known when they were read."""
        later, self._later = self._later, []
        for resource, where in later:
            whom = fields.identifiers(fields.about(resource))[0]
            other = (whom[1], f"Patient/{whom[1]}") in self._versions  # an id is no identifier
            found = self._identified.get(whom, "" if other else whom[1])
            about = {"reference": found if "/" in found else f"Patient/{found}"} if found else {}
            self.read({**resource, "subject": about, "patient": about}, where)
        held = Counter(name for _, name in self._versions if name in self._deleted)
        gone = {own for own in self._versions if held[own[1]] == 1}  # else nobody knows whose
        for which in gone:
            self.to.forget(which)
        self._unnamed = [one for one in self._unnamed if one[2] not in gone]
        self.to.counted[_OF_SEVERAL] = sum(count > 1 for count in held.values())
        for entry, medicine, origin in self._unnamed:
            own = self._ids.get(medicine, medicine)
            if (entry.patient, own) in self._versions and own.startswith("Condition/"):
                continue  # a visit's diagnosis that stands for itself
            self.to.origin = origin
            named = _renamed(entry, self._named.get(own))
            self.to.counted[_NAMELESS] += not named.text
            if named.text or entry.kind == "medication":
                self.to.entry(named)
        self._unnamed.clear()

    def _patient_of(self, resource: Json, server: str) -> str:
        there, id = fields.patient_of(resource)
        return self._called(there or server, self._ids.get(id, id).rpartition("/")[2])

    def _called(self, server: str, id: str) -> str:
        return id if server in ("", self._own) or not id else f"{server}/Patient/{id}"

    def _entry(self, resource: Json, entry: CodedEntry, refers: Json | None = None) -> None:
        """Keep an entry, with its name from the resource that it refers to where it has none."""
        other = "" if entry.code else fields.referred(refers)
        if entry.kind == "observation":
            taken = fields.part(resource, "specimen")
            entry = taken_from(entry, str(taken.get("display") or ""))
            other = "" if "display" in taken else fields.referred(taken)
        of, who = sorted(map(str.strip, entry.value.rpartition(":")[::2]), key=is_kin)
        relative = entry.kind == "observation" and standing_of("name", entry.text) == "family"
        if relative and of and is_kin(who) and not polarity_of(of):
            known: dict[str, Any] = {"start": entry.start, "value": who, "visit": entry.visit}
            entry = CodedEntry(entry.patient, "condition", of, standing="family", **known)
        within = {f"#{one.get('id')}": one for one in fields.parts_of(resource, "contained")}
        if other and other not in within:
            self._unnamed.append((entry, other, self.to.origin))
        elif other:  # but a visit's diagnosis, which is read by itself
            if within[other].get("resourceType") != "Condition":
                self.to.entry(_renamed(entry, within[other]))
        elif text := entry.text or fields.narrative(resource):
            self.to.entry(replace(entry, text=text))
        else:
            self.to.skipped["entries without a name"] += 1

    def lost(self, resource: Json, patient: str) -> bool:
        """Return whether a resource says of itself that it does not count, which is counted."""
        status = resource.get("status")
        document = resource["resourceType"] in _DOCUMENTS
        reasons = {
            "marked as an error": fields.is_error(resource),
            "cancelled or not yet begun": document and status in ("cancelled", "registered"),
            "replaced by a later version": status == "superseded",
            "of no patient": not patient,
        }
        why = next((why for why, holds in reasons.items() if holds), "")
        self.to.skipped.update([why] if why else [])
        return bool(why)

    def entries(self, resource: Json, patient: str, form: Form) -> None:
        """Keep the coded entry of a resource, or of a row of a table that has the form of one, and
        those of its parts and answers.
        """
        type, kind = resource["resourceType"], form.kind
        standing, status = self._standing(kind, resource)
        if standing == "void":
            self.to.skipped["cancelled or not yet begun"] += 1
            return
        if fields.about_another(resource):
            self.to.unread[f"{type} about another (focus)"] += 1
            return
        coming = (kind, standing) == ("encounter", "planned")  # what a visit to come is for
        says = [status, *([fields.in_words(resource.get("reasonCode"))] if coming else ())]
        base = CodedEntry(
            patient,
            kind,
            "",
            value="" if kind == "observation" else fields.modified(", ".join(says), resource),
            visit=str(resource.get("id") or "") if kind == "encounter" else fields.visit(resource),
            standing=standing,
        )
        whole, refers = _filled(base, form, resource)
        for one in _observed(whole, resource) if kind == "observation" else (whole,):
            if form.alone:
                self._entry(resource, one, refers)
        left = fields.at(resource, "hospitalization.dischargeDisposition")
        left += fields.at(resource, "admission.dischargeDisposition")
        said = fields.in_words(left)
        if "past" in (standing_of("death", one) for one in (*fields.codes_of(left), said)):
            for died in of_patient(patient, {"death": whole.end or "true"}):
                self.to.entry(replace(died, interpretation=f"discharge: {said}"))
        test = fields.in_words(resource.get("code")) or "a report"
        words = {"code": test, "relationship": fields.in_words(resource.get("relationship"))}
        for field, own_form in parts_within(type).items():
            for each in fields.parts_of(resource, field):
                part = replace(base, start=whole.start, value=own_form.value.format(**words))
                part = replace(part, standing="present" if standing == "past" else standing)
                part, refers = _filled(part, own_form, {**each, "": each})
                said = polarity_of(part.text) or polarity_of(part.code)
                if said and kind == "observation":  # its test's answer in a word
                    part = replace(
                        whole, value=part.text, polarity=said, code="", system="", loinc=""
                    )
                self._entry(resource, part, refers)
        if type == "FamilyMemberHistory" and not resource.get("condition"):
            self.to.unread["FamilyMemberHistory without a condition"] += 1

    def _standing(self, kind: Kind, resource: Json) -> tuple[Standing | Literal["void"], str]:
        """What the statuses of a resource say of it, and the one that says it: the one that takes
        most back. A condition that has ended and whose status is not given is past. A modifier may
        turn what is said into anything.
        """
        told = list[tuple[str, str]]()
        for codes in fields.statuses(resource):
            known = [(standing_of(kind, one), one) for one in codes]
            told += ([one for one in known if one[0]] or known)[:1]
        says, status = min(told, key=lambda one: _STRONGEST.index(one[0]), default=("present", ""))
        also = dict(told)
        if says == "planned" and "past" in also:  # of a plan that ended nobody knows what was done
            says, status = "uncertain", f"{also['past']}, {status}"
        if not says:
            doubt = (
                f"the status “{status[:40]}” of {{}} {kind} entries is not known, read as not sure"
            )
            self.to.counted[doubt] += 1
        ends = (fields.in_words(one) for key, one in resource.items() if key[:9] == "abatement")
        given = resource.get("clinicalStatus") or resource.get("status")
        if says == "present" and kind in _LASTING and not given and {*ends} - {"", "false"}:
            says = "past"
        if says != "void" and resource["resourceType"] == "FamilyMemberHistory":
            says = "family"
        elif not says or (says in ("present", "past") and fields.modified("", resource)):
            says = "uncertain"
        return cast(Standing | Literal["void"], says), status

    def _patient(self, resource: Json, patient: str) -> None:
        why = fields.absent(resource, "birthDate")
        names = {"birth": "birthDate", "sex": "gender", "death": "deceasedDateTime"}
        told = {key: fields.in_words(resource.get(name)) for key, name in names.items()}
        told["birth"] = told["birth"] or ("" if why is None else f"not known ({why})")
        told["death"] = told["death"] or ("true" if resource.get("deceasedBoolean") is True else "")
        for entry in of_patient(patient, told):
            self.to.entry(entry)

    def _document(self, resource: Json, where: str, patient: str) -> None:
        attached = [fields.part(one, "attachment") for one in fields.parts_of(resource, "content")]
        attached += fields.parts_of(resource, "presentedForm")
        conclusion = str(resource.get("conclusion") or "").strip()
        texts = list(texts_of(attached, self._binaries, self.to, where))
        texts += [
            one for one in (conclusion, *sections_of(resource)) if not any(one in t for t in texts)
        ]
        form, text = forms()[resource["resourceType"]], "\n\n".join(filter(None, texts))
        if text:
            note = Note(
                id=str(resource.get("id") or ""),
                patient=patient,
                text=text,
                time=fields.first(resource, form.starts, "start"),
                category=fields.in_words(fields.named(resource, form.names)[0]),
                visit=fields.visit(resource),
            )
            self.to.note(note, where)
        elif form.kind == "observation" and not any(
            map(resource.get, ("result", *parts_within(resource["resourceType"])))
        ):
            self.to.skipped["reports without a text"] += 1


def _renamed(entry: CodedEntry, resource: Json | None) -> CodedEntry:
    """An entry with the name of the resource that it refers to, where that has words for it."""
    own = fields.name_of(resource)
    if resource is None or resource.get("resourceType") == "Specimen":
        return taken_from(entry, own["text"])
    kept = bool(entry.text) and own["text"] in ("", own["code"])
    return replace(entry, **own | ({"text": entry.text} if kept else {}))


def _filled(entry: CodedEntry, form: Form, resource: Json) -> tuple[CodedEntry, Json]:
    """An entry with the name, the times and what else a resource, or a part of one, tells, and the
    reference to what names it.
    """
    concept, refers = fields.named(resource, form.names or ("",))
    made = replace(
        entry,
        kind=form.kind,
        **fields.name(concept),
        start=fields.first(resource, form.starts, "start") or entry.start,
        end=fields.first(resource, form.ends, "end"),
        interpretation=fields.told(resource, form.told, fields.in_words(concept)),
    )
    more = (fields.in_words(fields.at(resource, one)) for one in form.names[1:])
    also = dict.fromkeys(one for one in (made.also, *more) if one not in ("", made.text))
    made = replace(made, text=made.text or str(refers.get("display") or ""), also="; ".join(also))
    if made.standing == "family":
        return made, refers
    standing = standing_by_name(made.kind, made.standing, made.text, made.code)
    return replace(made, standing=standing), refers


def _observed(whole: CodedEntry, resource: Json) -> Iterator[CodedEntry]:
    """The entries of an observation and its parts, or of the answers to a questionnaire; parts in
    words also tell more of what the whole found (the gene and the change of a variant).
    """
    part, whole = whole, replace(whole, **fields.observed(resource))
    own_to = ("status", *fields.MODIFIERS)  # what holds for every part
    common = {key: resource[key] for key in own_to if key in resource}
    parts = [
        replace(
            replace(part, **fields.name(fields.part(one, "code"))),
            **fields.observed({**common, **one}, whole),
        )
        for one in (*fields.parts_of(resource, "component"), *fields.answers(resource))
    ]
    parted = parts or resource.get("hasMember") or resource.get("item")
    if whole.value or whole.polarity or not parted:
        numbers = "-.0123456789"
        more = [f"{one.text}: {one.value}" for one in parts if one.value.strip(numbers)]
        said = (whole.interpretation, *more, part.interpretation)
        yield replace(whole, interpretation=", ".join(filter(None, said)))
    yield from parts
