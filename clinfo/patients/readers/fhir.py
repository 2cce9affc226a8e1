"""Reads FHIR R4 resources: notes of DocumentReference and DiagnosticReport, coded entries of the
kinds below, of FamilyMemberHistory and of Patient.
"""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from clinfo.patients.coded import says_none, standing_of
from clinfo.patients.collecting import Collection
from clinfo.patients.readers import fhir_fields as fields
from clinfo.patients.readers.fhir_fields import Json
from clinfo.patients.records import CodedEntry, Kind, Note, Standing

_KINDS: dict[str, Kind] = {
    "Condition": "condition",
    "MedicationRequest": "medication",
    "MedicationOrder": "medication",
    "MedicationStatement": "medication",
    "MedicationAdministration": "medication",
    "MedicationDispense": "medication",
    "Immunization": "immunization",
    "Observation": "observation",
    "Procedure": "procedure",
    "Encounter": "encounter",
    "AllergyIntolerance": "allergy",
}
_STARTS = (
    "onset",
    "effective",
    "performed",
    "occurrence",
    "occurence",
    "authoredOn",
    "dateWritten",
    "whenHandedOver",
    "whenPrepared",
    "recordedDate",
    "assertedDate",
    "dateRecorded",
    "issued",
    "dateAsserted",
    "date",
)
_ENDS = ("abatement", "effective", "performed")
_NAMES = ("code", "vaccineCode", "substance")
_TEXT = "text/"
_NOT_WORDS = {"text/rtf": "application/rtf", "text/richtext": "application/rtf"}
LOINC = "http://loinc.org"


class FhirReader:
    """Reads resources one at a time; medicines that stand in resources of their own get their
    names with `finish`.

    A patient is called by the id alone on the first server that a Bundle names, by the whole
    address on any other one: 7 here is not 7 there.
    """

    def __init__(self, collection: Collection) -> None:
        self._to = collection
        self._medicines: dict[str, Json] = {}
        self._unnamed: list[tuple[CodedEntry, str]] = []
        self._unknown: Counter[tuple[str, str]] = Counter()
        self._own = ""
        self._binaries: dict[str, Json] = {}
        self._ids: dict[str, str] = {}
        """The ids of a Bundle's resources by the addresses that it gives them."""

    def read(self, resource: object, where: str, server: str = "") -> None:
        """Read a resource, or those of a Bundle; ``where`` names its place in messages, ``server``
        is the address of where it comes from.
        """
        if not isinstance(resource, dict):
            self._to.skipped["not a resource"] += 1
            return
        kind = str(resource.get("resourceType"))
        if kind == "Bundle":
            self._bundle(resource, where)
            entries = resource.get("entry")
            for one in entries if isinstance(entries, list) else []:
                if not isinstance(one, dict):
                    self._to.skipped["not a resource"] += 1
                    continue
                inner = fields.part(one, "resource")
                if inner and (called := fields.urn(str(one.get("fullUrl") or ""))):
                    inner = {"id": called, **inner}  # resources of a transaction have none
                kind = str(inner.get("resourceType"))
                server = fields.placed(str(one.get("fullUrl") or ""), kind)[0]
                self._own = self._own or server
                self.read(inner or one.get("resource"), where, server)
        elif kind in ("DocumentReference", "DiagnosticReport", "Composition"):
            self._document(resource, where, self._patient_of(resource, server))
        elif kind in _KINDS:
            patient = self._patient_of(resource, server)
            for entry in self._entries(resource, _KINDS[kind], patient):
                self._entry(resource, entry)
        elif kind == "QuestionnaireResponse":
            for answer in _answers(resource, resource):
                self.read(answer, where, server)
        elif kind == "Binary":
            pass  # read where a document refers to it
        elif kind == "FamilyMemberHistory":
            patient = self._patient_of(resource, server)
            for one in fields.parts_of(resource, "condition"):
                self._entry(resource, _of_relative(resource, one, patient))
        elif kind == "Patient":
            self._patient(resource, self._named(server, str(resource.get("id") or "")))
        elif kind == "Medication":
            self._medicines[str(resource.get("id"))] = resource
        elif kind == "OperationOutcome":
            said = (one.get("diagnostics") for one in fields.parts_of(resource, "issue"))
            told = next((str(one)[:200] for one in said if one), "no reason is given")
            self._to.problem(f"{where}: a server's error in place of data: {told}")
        elif not resource.get("resourceType"):
            self._to.skipped["not a resource"] += 1
        else:
            self._to.skipped[f"FHIR resources of the kind {kind[:40]}"] += 1
        if not fields.is_error(resource):
            about = {key: resource[key] for key in ("subject", "patient") if key in resource}
            for one in fields.parts_of(resource, "contained"):
                if one.get("resourceType") in _KINDS:
                    self.read({**about, **one}, where, server)

    def _bundle(self, bundle: Json, where: str) -> None:
        """Note how a Bundle calls its resources, and what it says of a page that is not here."""
        for one in fields.parts_of(bundle, "entry"):
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
        nameless = 0
        for entry, medicine in self._unnamed:
            own = self._ids.get(medicine, medicine)
            text, code, system = fields.medication(self._medicines.get(own))
            if text or entry.text:
                text = entry.text if entry.text and text in ("", code) else text
                self._to.entry(replace(entry, text=text, code=code, system=system))
            else:
                nameless += 1
        if nameless:
            one = "medicine is" if nameless == 1 else "medicines are"
            self._to.problem(
                f"{nameless} {one} named only by an address that is not among the files"
            )
        self._unnamed.clear()
        for (kind, status), count in sorted(self._unknown.items()):
            told = f"the status “{status}” of {count} {kind} entries is not known, read as not sure"
            self._to.problem(told)

    def _patient_of(self, resource: Json, server: str) -> str:
        there, id = fields.patient_of(resource)
        return self._named(there or server, self._ids.get(id, id))

    def _named(self, server: str, id: str) -> str:
        return id if server in ("", self._own) or not id else f"{server}/Patient/{id}"

    def _entry(self, resource: Json, entry: CodedEntry | None) -> None:
        if fields.is_error(resource):
            self._to.skipped["marked as an error"] += 1
        elif entry is None:
            self._to.skipped["cancelled or not yet begun"] += 1
        elif not entry.patient:
            self._to.skipped["of no patient"] += 1
        elif not entry.code and (medicine := fields.reference(fields.medicine(resource)[1])):
            within = {f"#{one.get('id')}": one for one in fields.parts_of(resource, "contained")}
            text, code, system = fields.medication(within.get(medicine))
            if text:
                self._to.entry(replace(entry, text=text, code=code, system=system))
            else:
                self._unnamed.append((entry, medicine))
        elif entry.text:
            self._to.entry(entry)
        else:
            self._to.skipped["entries without a name"] += 1

    def _entries(self, resource: Json, kind: Kind, patient: str) -> Iterator[CodedEntry | None]:
        """The coded entry of a resource, and those of an observation's parts; None of what does not
        count.
        """
        period = fields.part(resource, "period")
        visit = fields.reference(resource.get("encounter") or resource.get("context"))
        concept, refers = fields.medicine(resource)
        named = next(filter(None, map(resource.get, _NAMES)), concept)
        if kind == "allergy" and not any(fields.coded(named)):
            reactions = fields.parts_of(resource, "reaction")
            named = next(filter(None, (fields.part(one, "substance") for one in reactions)), {})
        if kind == "encounter":
            visit = str(resource.get("id") or "")
            named = next(iter(fields.parts_of(resource, "type")), None) or {
                "coding": [resource.get("class")]
            }
        text, code, system = fields.coded(named)
        end = str(period.get("end") or fields.first(resource, _ENDS, "end"))
        status = fields.status(resource, partial(standing_of, kind))
        ended = any(key.startswith("abatement") and resource[key] is not False for key in resource)
        standing = self._standing(kind, status, ended)
        if kind != "observation" and (says_none(code) or says_none(text)):
            standing = standing and "negated"
        if standing is None:
            yield None
            return
        whole = CodedEntry(
            patient=patient,
            kind=kind,
            text=text or str(fields.part({"": refers}, "").get("display") or ""),
            code=code,
            system=system,
            start=str(period.get("start") or fields.first(resource, _STARTS, "start")),
            end=end,
            value="" if kind == "observation" else status,
            visit=visit,
            standing=standing,
        )
        if kind != "observation":
            yield whole
            return
        part, whole = whole, replace(whole, **fields.observed(resource))
        parts = [
            replace(part, text=text, code=code, system=system, **fields.observed(one, whole))
            for one in fields.parts_of(resource, "component")
            for text, code, system in [fields.coded(fields.part(one, "code"))]
        ]
        if whole.value or whole.polarity or not (parts or resource.get("hasMember")):
            yield whole
        yield from parts

    def _standing(self, kind: Kind, status: str, ended: bool) -> Standing | None:
        """The standing that a status says; None for what does not count. A condition that has ended
        and whose status is not given is past.
        """
        if not status:
            return "past" if kind == "condition" and ended else "present"
        says = standing_of(kind, status)
        if not says:
            self._unknown[kind, status[:40]] += 1
            return "uncertain"
        return None if says == "void" else says

    def _patient(self, resource: Json, patient: str) -> None:
        for text, code, key in (
            ("Birth date", "21112-8", "birthDate"),
            ("Sex", "46098-0", "gender"),
        ):
            if patient and (value := resource.get(key)):
                self._to.entry(
                    CodedEntry(patient, "observation", text, code, LOINC, value=str(value))
                )

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
        forms = [fields.part(one, "attachment") for one in fields.parts_of(resource, "content")]
        forms += fields.parts_of(resource, "presentedForm")
        told = [str(resource.get("conclusion") or ""), *_sections(resource)]
        if not forms and not any(told) and resource["resourceType"] == "DiagnosticReport":
            return  # one that only groups observations, which are read themselves
        texts = list(self._texts(forms, where))
        texts += [one for one in told if one and not any(one in text for text in texts)]
        text = "\n\n".join(texts)
        if not text:
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

    def _texts(self, forms: list[Json], where: str) -> Iterator[str]:
        """The texts of attachments: the plain ones, else those of HTML."""
        kinds = [str(form.get("contentType") or "text/plain").lower() for form in forms]
        typed = list(zip(kinds, forms, strict=True))
        plain = any(kind.startswith("text/plain") and form.get("data") for kind, form in typed)
        for kind, form in typed:
            form = form if form.get("data") else self._binaries.get(str(form.get("url")), form)
            name, _, parameters = kind.partition(";")
            name = _NOT_WORDS.get(name, name)
            if not form.get("data"):
                self._to.skipped["attachments that are only addresses"] += 1
            elif not name.startswith(_TEXT) and name != "application/xhtml+xml":
                self._to.skipped[f"attachments of {name[:40]}"] += 1
            elif not plain or name == "text/plain":
                try:
                    raw = base64.b64decode("".join(str(form["data"]).split()), validate=True)
                except (binascii.Error, ValueError):
                    self._to.problem(f"{where}: an attachment is not base64, passed over")
                    continue
                text = self._decoded(raw, parameters.partition("charset=")[2].strip(' "'), where)
                yield text if name == "text/plain" else fields.without_marks(text)

    def _decoded(self, raw: bytes, charset: str, where: str) -> str:
        for name in (charset, "utf-8-sig"):
            try:
                return raw.decode(name or "utf-8-sig")
            except (LookupError, UnicodeDecodeError):
                pass
        self._to.problem(f"{where}: its text is not UTF-8 and is read as Windows-1252")
        return raw.decode("cp1252", "replace")


def _sections(part: Json) -> Iterator[str]:
    """The titles and the narrative of a Composition's sections, those within them too."""
    for one in fields.parts_of(part, "section"):
        told = fields.without_marks(str(fields.part(one, "text").get("div") or "<p/>"))
        yield "\n".join(filter(None, (str(one.get("title") or ""), told)))
        yield from _sections(one)


def _answers(response: Json, part: Json) -> Iterator[Json]:
    """The answers to a questionnaire's questions, each as an observation."""
    about = {name: response.get(name) for name in ("subject", "encounter", "authored", "status")}
    status = {"completed": "final", "in-progress": "preliminary", "stopped": "cancelled"}
    about["status"] = status.get(str(about["status"]), about["status"])
    for one in fields.parts_of(part, "item"):
        for answer in fields.parts_of(one, "answer"):
            yield {"resourceType": "Observation", **about, "code": {"text": one.get("text")},
                   "issued": about["authored"], **answer}  # fmt: skip
            yield from _answers(response, answer)
        yield from _answers(response, one)


def _of_relative(resource: Json, condition: Json, patient: str) -> CodedEntry:
    """The entry of a condition that a relative had."""
    text, code, system = fields.coded(fields.part(condition, "code"))
    who = fields.coded(fields.part(resource, "relationship"))[0]
    start = str(resource.get("date") or "")
    return CodedEntry(patient, "condition", text, code, system, start, value=who, standing="family")
