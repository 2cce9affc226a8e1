"""Reads FHIR R4 resources: notes of DocumentReference and DiagnosticReport, coded entries of the
kinds below, of FamilyMemberHistory and of Patient.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import cast

from clinfo.patients.coded import polarity_of, standing_by_name, standing_of
from clinfo.patients.collecting import Collection
from clinfo.patients.readers import fhir_fields as fields
from clinfo.patients.readers.coded_tables import LOINC, of_patient
from clinfo.patients.readers.fhir_fields import Json
from clinfo.patients.readers.fhir_texts import sections_of, texts_of
from clinfo.patients.records import CodedEntry, Kind, Note, Standing
from clinfo.text.lexicon import read_rows
from clinfo.text.wording import number

_FINANCIAL = frozenset(
    ("Account", "ChargeItem", "Claim", "ClaimResponse", "Coverage", "ExplanationOfBenefit")
)
"""Kinds that say nothing of a patient's health: that they are not read is no news."""


@dataclass(frozen=True, slots=True)
class Form:
    """The kind of entry that a kind of resource is read as, and the fields of its name and times,
    in order.
    """

    kind: Kind
    names: tuple[str, ...]
    starts: tuple[str, ...]
    ends: tuple[str, ...]


@cache
def forms() -> dict[str, Form]:
    """The forms of the kinds of resources that are read as entries."""
    rows = read_rows(Path(__file__).with_name("fhir_resources.tsv"), 5)
    return {
        name: Form(cast(Kind, kind), *(tuple(one.strip("-").split()) for one in rest))
        for name, kind, *rest in rows
    }


class FhirReader:
    """Reads resources one at a time; medicines that stand in resources of their own get their
    names with `finish`.

    A patient is called by the id alone on the first server that a Bundle names, by the whole
    address on any other one: 7 here is not 7 there.
    """

    def __init__(self, collection: Collection) -> None:
        self._to = collection
        self._named: dict[str, Json] = {}
        """The resources that give others their names, by id."""
        self._unnamed: list[tuple[CodedEntry, str, object]] = []
        self._unknown: Counter[tuple[str, str]] = Counter()
        self._own = ""
        self._binaries: dict[str, Json] = {}
        self._ids: dict[str, str] = {}
        """The ids of a Bundle's resources by the addresses that it gives them."""
        self._versions: dict[tuple[str, str], tuple[str, int]] = {}
        """The newest version read of each resource, by the patient and what it is called."""
        self._deleted: set[str] = set()
        self._identified: dict[tuple[str, str], str] = {}
        """The patients by their identifiers."""
        self._linked: set[str] = set()
        self._later: list[tuple[Json, str]] = []
        """The resources of a patient who is named by an identifier not met yet."""

    def read(self, resource: object, where: str, server: str = "", own: bool = True) -> None:
        """Read a resource, or those of a Bundle; ``where`` names its place in messages, ``server``
        is the address of where it comes from. One that is part of another is not its ``own``.
        """
        if not isinstance(resource, dict):
            self._to.skipped["not a resource"] += 1
            return
        kind = str(resource.get("resourceType"))
        if kind == "Bundle":
            self._bundle(resource, where)
            for one in fields.newest(resource):
                if not isinstance(one, dict):
                    self._to.skipped["not a resource"] += 1
                    continue
                if fields.part(one, "request").get("method") == "DELETE":
                    continue
                inner = fields.part(one, "resource")
                if inner and (called := fields.urn(str(one.get("fullUrl") or ""))):
                    inner = {"id": called, **inner}  # resources of a transaction have none
                kind = str(inner.get("resourceType"))
                server = fields.placed(str(one.get("fullUrl") or ""), kind)[0]
                self._own = self._own or server
                self.read(inner or one.get("resource"), where, server)
            return
        if kind == "Patient":
            patient = self._called(server, str(resource.get("id") or ""))
            for own_id in fields.identifiers(resource):
                same = self._identified.get(own_id, patient) == patient
                self._identified[own_id] = patient if same else ""  # of two
            for one in fields.parts_of(resource, "link"):
                other = self._patient_of({"subject": one.get("other")}, server)
                if other and self._to.only in ("", patient, other):
                    self._linked.add(" and ".join(sorted((patient, other))))
        else:
            patient = self._patient_of(resource, server)
            if not patient and fields.identifiers(fields.about(resource)):
                self._later.append((resource, where))
                return
        if own and self._replaced(patient, kind, resource):
            self._to.skipped["replaced by a later version"] += 1
        elif kind in ("DocumentReference", "DiagnosticReport", "Composition"):
            self._document(resource, where, patient)
        elif kind in forms():
            for entry, refers in self._entries(resource, patient):
                self._entry(resource, entry, refers)
        elif kind == "FamilyMemberHistory":
            for one in fields.parts_of(resource, "condition"):
                self._entry(resource, _of_relative(resource, one, patient))
        elif kind == "Patient":
            self._patient(resource, patient)
        elif kind in ("Medication", "Substance"):
            pass
        elif kind == "OperationOutcome":
            said = (one.get("diagnostics") for one in fields.parts_of(resource, "issue"))
            told = next((str(one)[:200] for one in said if one), "no reason is given")
            self._to.problem(f"{where}: a server's error in place of data: {told}")
        elif not resource.get("resourceType"):
            self._to.skipped["not a resource"] += 1
        else:
            self._to.skipped[f"FHIR resources of the kind {kind[:40]}"] += 1
            every = fields.parts_of(resource, "diagnosis")
            billed = any("diagnosisCodeableConcept" in one for one in every)
            if patient and (billed or kind not in _FINANCIAL):
                self._to.unread[kind[:40]] += 1
        if kind in ("Medication", "Substance", "Device"):
            self._named[str(resource.get("id"))] = resource
        if not fields.is_error(resource):
            about = {key: resource[key] for key in ("subject", "patient") if key in resource}
            for one in fields.parts_of(resource, "contained"):
                if one.get("resourceType") in forms():
                    self.read({**about, **one}, where, server, own=False)

    def _replaced(self, patient: str, kind: str, resource: Json) -> bool:
        """Return whether a resource was deleted or a newer version of it was read; what an older
        one told is taken back.
        """
        self._to.origin = None
        if not resource.get("id"):
            return False
        name = f"{kind}/{resource['id']}"
        own, version = (patient, name), fields.version(resource)
        known = self._versions.setdefault(own, version)
        if version < known:
            return True
        if version > known:
            self._to.forget(own)
            self._unnamed = [one for one in self._unnamed if one[2] != own]
            self._versions[own] = version
        self._to.origin = own
        return False

    def _bundle(self, bundle: Json, where: str) -> None:
        """Note how a Bundle calls its resources, which it deletes, and what it says of a page that
        is not here.
        """
        entries = fields.parts_of(bundle, "entry")
        told = Counter(map(fields.called, entries))
        for one in fields.newest(bundle):
            deletes = fields.part(one, "request").get("method") == "DELETE"
            if deletes and told[fields.called(one)] == 1:  # else of what this Bundle tells
                self._deleted.add(fields.called(one))
        for one in entries:
            own = str(fields.part(one, "resource").get("id") or "")
            if fields.part(one, "resource").get("resourceType") == "Binary":
                for address in (f"Binary/{own}", str(one.get("fullUrl") or "")):
                    self._binaries[address] = fields.part(one, "resource")
            if (called := fields.urn(str(one.get("fullUrl") or ""))) and own:
                self._ids[called] = own
        if "next" in (one.get("relation") for one in fields.parts_of(bundle, "link")):
            self._to.problem(f"{where}: the Bundle goes on with a page that is not among the files")

    def finish(self) -> None:
        """Keep the prescriptions whose medicine was not known when they were read."""
        for pair in sorted(self._linked):
            self._to.problem(f"patients {pair} are told to be one person; each record is apart")
        self._linked.clear()
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
            self._to.forget(which)
        self._unnamed = [one for one in self._unnamed if one[2] not in gone]
        if several := sum(count > 1 for count in held.values()):
            told = number(several, "deletion", "deletions")
            self._to.problem(f"{told} may be of several patients' resources, which are kept")
        nameless = 0
        for entry, medicine, origin in self._unnamed:
            own = self._ids.get(medicine, medicine)
            disease = entry.kind == "condition"  # no medicine of the same id names it
            if disease and (entry.patient, f"Condition/{own}") in self._versions:
                continue  # a visit's diagnosis that stands for itself
            self._to.origin = origin
            text, code, system = fields.name_of(None if disease else self._named.get(own))
            text = entry.text if entry.text and text in ("", code) else text
            nameless += not text
            if text or entry.kind == "medication":
                self._to.entry(replace(entry, text=text, code=code, system=system))
        if nameless:
            told = number(nameless, "entry is", "entries are")
            self._to.problem(f"{told} named only by an address that is not among the files")
        self._unnamed.clear()
        for (kind, status), count in sorted(self._unknown.items()):
            told = f"the status “{status}” of {count} {kind} entries is not known, read as not sure"
            self._to.problem(told)

    def _patient_of(self, resource: Json, server: str) -> str:
        there, id = fields.patient_of(resource)
        return self._called(there or server, self._ids.get(id, id))

    def _called(self, server: str, id: str) -> str:
        return id if server in ("", self._own) or not id else f"{server}/Patient/{id}"

    def _entry(self, resource: Json, entry: CodedEntry | None, refers: Json | None = None) -> None:
        """Keep an entry, with its name from the resource that it refers to where it has none."""
        other = "" if entry is None or entry.code else fields.reference(refers)
        within = {f"#{one.get('id')}": one for one in fields.parts_of(resource, "contained")}
        if fields.is_error(resource):
            self._to.skipped["marked as an error"] += 1
        elif fields.about_another(resource):
            self._to.unread[f"{resource['resourceType']} about another (focus)"] += 1
        elif entry is None:
            self._to.skipped["cancelled or not yet begun"] += 1
        elif not entry.patient:
            self._to.skipped["of no patient"] += 1
        elif other and other not in within:
            self._unnamed.append((entry, other, self._to.origin))
        elif other and within[other].get("resourceType") != "Condition":
            text, code, system = fields.name_of(within[other])
            self._to.entry(replace(entry, text=text or entry.text, code=code, system=system))
        elif other:
            pass  # a visit's diagnosis, which is read by itself
        elif entry.text or (told := fields.narrative(resource)):
            self._to.entry(entry if entry.text else replace(entry, text=told))
        else:
            self._to.skipped["entries without a name"] += 1

    def _entries(
        self, resource: Json, patient: str
    ) -> Iterator[tuple[CodedEntry | None, Json | None]]:
        """The coded entry of a resource, and those of its parts and answers, with what names them;
        None of what does not count.
        """
        form = forms()[resource["resourceType"]]
        kind = form.kind
        concept, refers = fields.named(resource, form.names)
        text, code, system = fields.coded(concept)
        status = fields.status(resource, partial(standing_of, kind))
        visit = fields.reference(resource.get("encounter") or resource.get("context"))
        standing = self._standing(kind, status, resource)
        if standing is None:
            yield None, None
            return
        says = [status]
        if (kind, standing) == ("encounter", "planned"):  # what a visit to come is for
            says += [fields.coded(one)[0] for one in fields.parts_of(resource, "reasonCode")]
        whole = CodedEntry(
            patient=patient,
            kind=kind,
            text=text or str(refers.get("display") or ""),
            code=code,
            system=system,
            start=fields.first(resource, form.starts, "start"),
            end=fields.first(resource, form.ends, "end"),
            value="" if kind == "observation" else fields.modified(", ".join(says), resource),
            visit=str(resource.get("id") or "") if kind == "encounter" else visit,
            standing=standing_by_name(kind, standing, text, code),
            loinc=fields.loinc(concept),
        )
        if kind != "observation":
            yield whole, refers
            for one in fields.parts_of(resource, "diagnosis") if kind == "encounter" else ():
                concept, refers = fields.named(one, ("condition",))
                text, code, system = fields.coded(concept)
                text = text or str(refers.get("display") or "")
                sure = "present" if whole.standing == "past" else whole.standing
                yield (
                    CodedEntry(
                        patient,
                        "condition",
                        text,
                        code,
                        system,
                        whole.start,
                        value="diagnosis of a visit",
                        visit=whole.visit,
                        standing=standing_by_name("condition", sure, text, code),
                    ),
                    refers,
                )
            return
        for name, known, answer in fields.answers(resource):
            told = fields.observed(answer)
            yield replace(whole, text=name, code=known, system=known and LOINC, **told), None
        if resource["resourceType"] != "Observation":
            return
        part, whole = whole, replace(whole, **fields.observed(resource))
        parts, own_to = [], ("status", "modifierExtension")  # what holds for every part
        common = {key: resource[key] for key in own_to if key in resource}
        for one in fields.parts_of(resource, "component"):
            own = fields.part(one, "code")
            text, code, system = fields.coded(own)
            own_part = replace(part, text=text, code=code, system=system, loinc=fields.loinc(own))
            parts.append(replace(own_part, **fields.observed({**common, **one}, whole)))
        if whole.value or whole.polarity or not (parts or resource.get("hasMember")):
            yield whole, None
        yield from ((one, None) for one in parts)

    def _standing(self, kind: Kind, status: str, resource: Json) -> Standing | None:
        """The standing that a status says; None for what does not count. A condition that has ended
        and whose status is not given is past. A modifier may turn what is said into anything.
        """
        says = standing_of(kind, status) if status else "present"
        if not says:
            self._unknown[kind, status[:40]] += 1
        ended = any(key.startswith("abatement") and resource[key] is not False for key in resource)
        if kind == "condition" and ended and not status:
            says = "past"
        if not says or (resource.get("modifierExtension") and says in ("present", "past")):
            return "uncertain"
        return None if says == "void" else says

    def _patient(self, resource: Json, patient: str) -> None:
        died = resource.get("deceasedDateTime") or resource.get("deceasedBoolean")
        why = fields.absent(resource, "birthDate")
        birth = resource.get("birthDate") or (why is not None and f"not known ({why})")
        told = {"birth": birth, "sex": resource.get("gender"), "death": died}
        said = {
            key: str(one).lower() if one is True else str(one) for key, one in told.items() if one
        }
        for entry in of_patient(patient, said):
            self._to.entry(entry)

    def _document(self, resource: Json, where: str, patient: str) -> None:
        id = str(resource.get("id") or "")
        where = f"{where}, {resource['resourceType']} {id}"
        status = resource.get("status")
        reasons = {
            "marked as an error": fields.is_error(resource),
            "cancelled or not yet begun": status in ("cancelled", "registered"),
            "replaced by a later version": status == "superseded",
            "of no patient": not patient,
        }
        if why := next((why for why, holds in reasons.items() if holds), ""):
            self._to.skipped[why] += 1
            return
        if not self._to.wants(patient):
            return
        for concept in fields.concluded(resource):
            self._entry(resource, self._conclusion(resource, concept, patient))
        forms = [fields.part(one, "attachment") for one in fields.parts_of(resource, "content")]
        forms += fields.parts_of(resource, "presentedForm")
        told = [
            *filter(None, [str(resource.get("conclusion") or "").strip()]),
            *sections_of(resource),
        ]
        texts = list(texts_of(forms, self._binaries, self._to, where))
        texts += [one for one in told if not any(one in text for text in texts)]
        text = "\n\n".join(texts)
        if not text:
            result = resource.get("result") or fields.concluded(resource)
            if resource["resourceType"] == "DiagnosticReport" and not result:
                self._to.skipped["reports without a text"] += 1
            return
        context = fields.part(resource, "context")
        visit = context.get("encounter", resource.get("encounter"))
        made = [one["creation"] for one in forms if one.get("creation")]
        kind = resource.get("type") or resource.get("code") or {}
        note = Note(
            id=id,
            patient=patient,
            text=text,
            time=str(
                resource.get("date")
                or fields.first(resource, ("effective",), "start")
                or fields.part(context, "period").get("start")
                or (made and made[0])
                or resource.get("issued")
                or ""
            ),
            category=fields.coded(kind)[0],
            visit=fields.reference(visit[0] if isinstance(visit, list) and visit else visit),
        )
        self._to.note(note, where)

    def _conclusion(self, report: Json, concept: Json, patient: str) -> CodedEntry:
        """The entry of what a report concludes: a condition, or its test's answer in a word."""
        text, code, system = fields.coded(concept)
        test = fields.coded(report.get("code"))[0]
        own = CodedEntry(
            patient,
            "condition",
            text,
            code,
            system,
            fields.first(report, ("effective", "issued"), "start"),
            value=f"concluded of {test or 'a report'}",
            visit=fields.reference(report.get("encounter")),
        )
        if answer := polarity_of(text) or polarity_of(code):
            return replace(
                own, kind="observation", text=test, value=text, polarity=answer, code="", system=""
            )
        standing = self._standing("observation", str(report.get("status") or ""), report)
        return replace(
            own, standing=standing_by_name("condition", standing or "uncertain", text, code)
        )


def _of_relative(resource: Json, condition: Json, patient: str) -> CodedEntry:
    """The entry of a condition that a relative had."""
    text, code, system = fields.coded(fields.named(condition, ("code",))[0])
    who = fields.coded(fields.part(resource, "relationship"))[0]
    start = str(resource.get("date") or "")
    return CodedEntry(patient, "condition", text, code, system, start, value=who, standing="family")
