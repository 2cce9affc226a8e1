"""Fit the weights by which `clinfo.privacy.person_names` tells names of persons: a logistic
regression, in plain Python.

    python -m benchmarks.own.fit_names [--data FOLDER]

Learns from guard_tuning.jsonl, the tuning halves of `benchmarks.own.guard`, each question also with
other names in the place of its own (a part of them made up of halves of names, so that a name need
not be listed), and, as texts without a patient, from even rows of the shared real data. Writes
``clinfo/privacy/name_weights.tsv.gz``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.guard import DATA, TUNING, by_hand, by_script, questions_of
from clinfo.privacy import name_weights, person_names
from clinfo.terms import lexicon

SEED, VARIANTS, EPOCHS, LAST, RATE, DECAY, LEAST_SEEN = 7, 20, 8, 4, 0.2, 0.003, 3
TITLES = 4_000
_SCRIPTS = (
    ("\u0370", "\u03ff"),
    ("\u0400", "\u04ff"),
    ("\u0590", "\u05ff"),
    ("\u0600", "\u06ff"),
    ("\u0900", "\u097f"),
    ("\u0e00", "\u0e7f"),
)


@dataclass(frozen=True)
class Text:
    """A text, where names stand in it, how much it weighs, and its question's number (-1: a real
    text without a patient).
    """

    text: str
    names: tuple[tuple[int, int], ...]
    weight: float
    question: int


class Names:
    """Draws names in the form of a given one."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        every = lexicon._lexicon()
        self.given = [
            word
            for word, flag in every.items()
            if flag & lexicon.GIVEN and word < "\u0250" and flag < 8 and len(word) > 2
        ]
        self.family = [
            word
            for word, flag in every.items()
            if flag & lexicon.SURNAME and word < "\u0250" and flag < 8 and len(word) > 2
        ]
        latin = [
            (word, flag)
            for word, flag in every.items()
            if flag & lexicon.MEDICAL and word < "\u0250" and len(word) > 2
        ]
        self.usual = [
            word for word, flag in latin if flag & 3
        ]  # the commonest names are in names of things as well
        self.other = [
            [
                word
                for word, flag in every.items()
                if flag & 3 and first <= word[0] <= last and len(word) > 2
            ]
            for first, last in _SCRIPTS
        ]
        signs = [word for word, flag in every.items() if flag & lexicon.SURNAME and len(word) == 1]
        self.signs = (
            [sign for sign in signs if "\u4e00" <= sign <= "\u9fff"],
            [sign for sign in signs if sign >= "\uac00"],
        )
        self.more = [
            word
            for word, flag in every.items()
            if flag & lexicon.GIVEN and len(word) <= 2 and word >= "\u4e00"
        ]

    def like(self, name: str) -> str:
        """Another name with as many words, in the same case."""
        if (
            not name.isascii() and not any(sign < "\u0250" and sign.isalpha() for sign in name)
        ) or self.draw.random() < 0.06:
            return self._foreign(len(name.split()))
        tokens = person_names._TOKEN.finditer(name)
        pieces, end = [], 0
        for token in tokens:
            pieces += [
                name[end : token.start()],
                self._word(token.group()) if token.lastgroup == "word" else token.group(),
            ]
            end = token.end()
        return "".join([*pieces, name[end:]])

    def _word(self, word: str) -> str:
        if person_names._word(word)[1] == "" or len(word) < 3:
            return word
        flag = lexicon.flags(word)
        listed = (
            self.given
            if flag & 3 == 1 or (flag & 3 != 2 and self.draw.random() < 0.6)
            else self.family
        )
        if self.draw.random() < 0.05:
            listed = self.usual
        new = self.draw.choice(listed)
        if self.draw.random() < 0.25:
            other = self.draw.choice(listed)
            new = new[: max(2, len(new) // 2)] + other[len(other) // 2 :]
        return new.upper() if word.isupper() else new.title() if word[0].isupper() else new

    def in_template(self, template: str, number: int) -> Text:
        """A template with a name in the place of each {given}, {family} or {both}."""
        before, _, rest = template.partition("{")
        what, _, after = rest.partition("}")
        forms = {
            "given": "Zzzz",
            "family": "Zzzz",
            "both": "Zzzz Zzzz",
            "turned": "Zzzz, Zzzz",
            "low": "zzzz",
            "lows": "zzzz zzzz",
            "caps": "ZZZZ ZZZZ",
        }
        if what == "initials":
            new = "".join(
                f"{self.draw.choice('ABCDEGHJKLMNPRSTVW')}."
                for _ in range(self.draw.choice((2, 2, 3)))
            )
        else:
            new = self.like(forms[what])
        return Text(before + new + after, ((len(before), len(before) + len(new)),), 0.35, number)

    def _foreign(self, words: int) -> str:
        if self.draw.random() < 0.35:
            signs = self.draw.choice(self.signs)
            alike = [
                word for word in self.more if (word >= "\uac00") == (signs is self.signs[1])
            ] or self.more
            return self.draw.choice(signs) + self.draw.choice(alike)
        listed = self.draw.choice(self.other)
        chosen = [self.draw.choice(listed) for _ in range(words)]
        return " ".join(word.capitalize() for word in chosen)


def texts(data: Path, draw: random.Random) -> list[Text]:
    """Return what is learned from, in a set order."""
    rows = questions_of(TUNING)
    hand, made = by_hand()[::2], by_script()[::2]
    marked = [
        (row.question, [(one.start, one.end) for one in row.marked if one.kind == "name"], 1.0)
        for row in [*rows, *hand]
    ]
    marked += [
        (row.question, [(one.start, one.end) for one in row.marked if one.kind == "name"], 0.5)
        for row in made
    ]
    names, every = Names(draw), list[Text]()
    for number, (question, spans, weight) in enumerate(marked):
        every.append(Text(question, tuple(spans), 4 * weight, number))
        for _ in range(VARIANTS if spans else 0):
            every.append(_with_others(question, spans, names, 0.5 * weight, number))
        if not spans:
            every += [Text(question, (), 1.0, number)]
    for number, template in enumerate(_HARMLESS, len(marked)):
        for _ in range(VARIANTS):
            every.append(Text(template.replace("{}", names.like("Zzzz")), (), 0.35, number))
    for number, template in enumerate(_IDENTIFYING, len(marked) + len(_HARMLESS)):
        for _ in range(VARIANTS):
            every.append(names.in_template(template, number))
    every += [Text(text, (), 1.0, -1) for text in real(data)]
    every += [
        Text(_mistyped(one.text.lower(), draw), (), 0.5, -1)
        for one in every[:]
        if one.question < 0 and draw.random() < 0.3
    ]
    return every + [
        Text(one.text.lower(), one.names, 0.5 * one.weight, one.question)
        for one in every
        if draw.random() < 0.3 and len(one.text.lower()) == len(one.text)
    ]


_HARMLESS = (
    "{} et al. found that aspirin lowers events. Is that right?",
    "What did {} show about statins in 2015?",
    "Does {} syndrome respond to steroids?",
    "Is {}'s sign useful in appendicitis?",
    "Was the {} score validated?",
    "Is {} disease treated with rituximab?",
    "Did the {} trial include women?",
    "Is {} safe in pregnancy?",
    "Does {} cause weight gain?",
    "Is {} better than metformin?",
    "Do women in {} get fewer infections?",
    "Dr {} says I should take aspirin. Is that right?",
    "my doctor Dr. {} wants me on a statin, is it needed?",
    "{} and {} (2004) argued for early surgery.",
    "{} J[au] AND gout",
    "asthma AND {}[Author]",
    "Is the {} technique better?",
    "Does the {} manoeuvre work?",
    "Prof {} claims that mammography does harm.",
    "In {}, does screening lower mortality?",
    "Patients on {} who need surgery: stop or continue?",
    "Are {} coils as good as surgery?",
    "Is {} (apixaban) effective?",
    "{} versus placebo in heart failure?",
    "Does {}-{} syndrome need IVIG?",
    "Is {} fever treated with doxycycline?",
    "Should children take {} for asthma?",
    "My patient takes {} daily; is that safe?",
    "My son takes {} and is sick, is it the drug?",
    "According to {}, does surgery help?",
    "the {} criteria in children",
    "Does {}'s disease run in families?",
    "Was {} 2019 right about colchicine?",
    "My mother has {}'s disease, does exercise help?",
    "A patient with {} disease needs surgery.",
    "Is a {} catheter safer?",
    "{} hospital readmissions after TAVI",
    "Nurses at {} University found less delirium.",
    "What is the {} effect?",
    "Does {} have side effects?",
    "can i take {} with alcohol",
    "my wife is on {} and is breastfeeding",
    "pt on {} with rash",
    "patient started on {} yesterday; monitor what?",
    "my daughter has {} syndrome",
    "She was seen by Dr {} yesterday.",
    "Is {} effective for children aged 6?",
    "Is the {} vaccine effective?",
    "{} for depression: does it work?",
    "Does the {} {} Institute report less asthma?",
    "{} {} University nurses with burnout",
    "Was {} {} wrong about MMR and autism?",
    "{} {} Hospital in 2015",
    "Wirkt Metformin bei leichter Depression älterer Frauen?",
    "Hilft Ibuprofen besser als Paracetamol gegen Fieber bei Kindern?",
    "¿Es mejor la cirugía que el tratamiento médico en pacientes con endocarditis?",
    "¿Reduce la aspirina el riesgo de cáncer?",
    "Paciente con asma grave: ¿omalizumab o mepolizumab?",
    "La metformine est-elle efficace chez les femmes enceintes?",
    "Patiente de 45 ans avec endométriose: chirurgie ou pilule?",
    "L'aspirina riduce la mortalità nei pazienti con ictus?",
    "O tratamento com corticoide reduz a mortalidade na sepse?",
    "Helpt paracetamol bij kinderen met koorts?",
    "Minskar metformin dödligheten?",
    "Помогает ли аспирин при инсульте?",
    "Снижает ли метформин смертность у пожилых больных?",
    "阿司匹林能预防中风吗?",
    "メトホルミンは有効ですか?",
    "هل يقلل الأسبرين من خطر السكتة؟",
    "Is 当归 effective for dysmenorrhoea?",
    "Does 灵芝 extract prolong survival?",
    "Is κ-opioid agonism useful?",
    "Does Ms. Pac-Man improve amblyopia?",
    "In {}, is malaria prophylaxis useful?",
    "{} trial of statins: was it stopped early?",
    "Does {} oil help eczema?",
    "What is {} used for?",
    "Can {} be used with aspirin?",
    "Is {} better than paracetamol in toddlers?",
    "my dad was put on {}, how soon does it work",
    "my aunt swears by {} {} for knee pain",
    "a man from {} with MS: is vitamin D useful?",
    "living in {}, is malaria likely?",
    "my sister in {} is pregnant, is the jab safe",
    "a farmer near {} has a snake bite",
    "Did {} {} prove that handwashing saves lives?",
    "Is {} {} right about masks?",
    "What did {} {} say about trials?",
    "Does {} {}'s diet help?",
    "Did {} {}'s mastectomy raise testing?",
    "Is the {} {} method good?",
    "retired {}, 68, silicosis: any treatment?",
    "Le {} est-il sûr pendant la grossesse ?",
    "Ist {} bei Kindern sicher?",
    "¿Es seguro {} en el embarazo?",
    "La {} è sicura in gravidanza?",
    "Is {} veilig bij leverziekte?",
    "Hilft {} gegen Schmerzen?",
    "¿{} o {} para la migraña?",
    "{} en dosis bajas previene el ictus",
    "Senkt {} das Risiko?",
    "O {} é melhor que o placebo?",
    "hydroxycloroquin for {} artritis",
    "Is {} infection treated with {}?",
    "Can {} cause a rash?",
    "Should {} be stopped before surgery?",
    "Will {} prevent stroke?",
    "started {} last week and feel sick",
    "allergic to {}; what else works?",
    "switch from {} to {}: how?",
    "{} cream for acne in teens",
    "Is {} safe with {}?",
    "Is {} safe with furosemide?",
    "FDA label for {}: least blood pressure to start?",
    "{} and BNP: which is better for heart failure?",
    "{} A lines on the chest film: what do they mean?",
    "{}, {} and tenecteplase",
    "{} D, {} A statement on reporting of trials",
    "Does the {} {} fall scale predict falls?",
    "{} says no, is that still right?",
    "Does {} exercise prevent incontinence?",
    "Does {} {}'s steaming help the pelvic floor?",
    "How long after {} may one conceive?",
    "{} dose in dialysis",
    "Is {} {} sequence treated early?",
    "{} {} phenomenon and nifedipine",
    "{} or {}: which lowers HbA1c more?",
    "{} stopped before surgery, when to restart?",
    "{}' series on beta blockers: what came later?",
    "{} staging of leukaemia",
    "{}-{} classification of fractures",
    "Seit März hustet meine Mutter, hilft Codein?",
    "Im August operiert, wie lange Heparin?",
    "En mayo empezó la tos, ¿sirve el montelukast?",
    "Depuis janvier il tousse, une radio?",
    "糖尿病患者应该吃他汀吗?",
    "高血压的一线治疗是什么?",
    "小儿哮喘用什么药好?",
    "慢性腎臓病にSGLT2阻害薬は有効か",
    "高齢者の骨粗鬆症治療",
    "片頭痛の予防薬は?",
    "고혈압 환자에게 아스피린이 필요한가요?",
    "천식 치료 스테로이드",
    "골다공증 약은 얼마나 오래 먹나요?",
    "ผู้ป่วยเบาหวานควรได้รับยาสแตตินหรือไม่",
    "ยาแก้ปวดชนิดไหนปลอดภัยในหญิงตั้งครรภ์",
    "क्या मधुमेह में एस्पिरिन लेनी चाहिए?",
    "गर्भावस्था में कौन सी दवा सुरक्षित है?",
    "האם אספירין מונע שבץ?",
    "מה הטיפול באסתמה בילדים?",
    "ما هو علاج الربو عند الأطفال؟",
    "هل الميتفورمين آمن أثناء الحمل؟",
    "Снижают ли статины риск инсульта у женщин?",
    "Чем лечить мигрень при беременности?",
    "Βοηθούν οι στατίνες στους ηλικιωμένους;",
    "Czy statyny chronią przed udarem?",
    "Astım tedavisinde steroid gerekli mi?",
    "H. pylori in {} patients",
    "E. coli and C. difficile in {}",
    "He lives near {} and has asthma",
    "My patient from {} has fever; malaria?",
    "my friend in {} has dengue",
    "Patient refuses {}; what else is there?",
)


_IDENTIFYING = (
    "Will {given} respond to rituximab?",
    "Could {given} stop allopurinol after two years?",
    "is {low} allowed alcohol on metronidazole",
    "Is {given} old enough for the vaccine?",
    "would a statin help {low}, cholesterol 7.1",
    "should {low} have her tonsils out",
    "does {low} need iron",
    "what should I give {low} for gout",
    "antibiotics for {low}, 3 days of sinusitis",
    "{low} cant sleep since the accident, pills?",
    "update on {given}: fever now, antibiotics?",
    "Following up on {given}, does her MS need treatment?",
    "Thanks, {given}",
    "Regards, {both}",
    "NAME: {caps}. GOUT. STEROIDS?",
    "initials {initials}, 33 with endometriosis",
    "{family}: 55 y/o, new AF, cardioversion?",
    "Consult for {family}. Vancomycin or linezolid?",
    "Meine Mutter {given} hat Asthma, hilft Cortison?",
    "Mon père {given} a eu un infarctus",
    "Mi hija {given} tiene asma",
    "Mia figlia {given} ha il diabete",
    "Meu filho {given} tem epilepsia",
    "Herr {family} hat Gicht",
    "Monsieur {family}, 80 ans, doit-il prendre une statine?",
    "{given}' asthma is worse",
    "Is {given}' heart failure bad?",
    "how long should {low} be on letrozole",
    "Can {given} drive after a seizure?",
    "Does {given} have to fast?",
    "When can {given} go back to work after surgery?",
    "Is {given} too young for a statin?",
    "can i give {low} calpol",
    "is it ok for {low} to breastfeed",
    "worried about {low}, he wont eat",
    "{given} is worried about side effects of statins",
    "How do I help {given} quit smoking?",
    "{low}s asthma is bad",
    "Should {both} take aspirin?",
    "Is {both} fit for surgery?",
    "Should {given} take aspirin?",
    "Is {given} safe to fly with COPD?",
    "Should Mrs {family} stop aspirin?",
    "Does Ms. {family} need a statin?",
    "we treat Mr. {family} for gout; colchicine?",
    "Mr and Mrs {family} want to know if IVF helps.",
    "pt {initials}, 60F with gout",
    "{initials}, 45M, alcohol use: naltrexone?",
    "My patient {initials} has AF. Apixaban?",
    "my name is {lows}, can I take metformin",
    "Her name is {both}.",
    "This is {given}. I have MS.",
    "I'm {given}, 70, with gout.",
    "i am {low}, 34, and have acne",
    "My name's {given} and I have asthma.",
    "I am {both} and I have lupus.",
    "I look after {given}, an 84 year old man with dementia.",
    "my mum {given} has gout",
    "my dad, {given}, had a stroke",
    "my neighbour {low} has gout",
    "our son {low} wont sleep, melatonin?",
    "{given}'s mother asks about vaccines.",
    "{given}'s asthma is worse.",
    "Is {given}'s epilepsy likely to improve?",
    "{family} has a DVT; how long should he be treated?",
    "{family} wants to stop her SSRI.",
    "{family}, 81, stop her statin?",
    "{family} 67M copd",
    "{lows} 45F gout",
    "pt {lows} 45f gout allopurinol?",
    "{turned} 63F T2DM",
    "patient {lows} has copd, steroids?",
    "{both} DOB 4/5/1961 colon cancer",
    "Patient: {turned}. Iron?",
    "Hospital day 3 for {family}: oral antibiotics?",
    "bed 4 {low} sepsis, fluids?",
    "re {family}, 72 yo, post MI",
    "the patient is called {given} and has anorexia",
    "someone named {both} age 16 with acne",
    "My friend {given} was bitten by a dog.",
    "can {low} fly after a pneumothorax?",
    "{given} and his wife want a baby.",
    "saw {lows} today w/ back pain",
    "{low} is 8 weeks pregnant, ondansetron?",
    "Can you check if {given} with hypothyroidism should take selenium?",
    "Treatment options for {both}, 29, with TB",
    "In {both}'s case, does CPAP help?",
    "{given} (a patient of mine) is a patient with NAFLD.",
    "{given} came in with dengue.",
    "What helps {given} with her migraines?",
    "Our patient, {both}, has gout.",
    "in the case of {both}, would a pessary be good?",
    "for my father, {given}?",
    "I saw {both} in clinic with a new murmur.",
    "{both} presented with chest pain.",
    "Baby {given} was born at 27 weeks.",
    "Little {given} has croup.",
    "Uncle {given} has gout.",
    "question about {given}: is he too old for a statin?",
    "{both} tests positive for HIV.",
    "{both} (45, diabetic) needs a statin?",
    "{caps} 12/03/56 gout",
    "{caps} 45M WITH GOUT",
    "PT {caps} HAS COPD",
    "{caps} DOB 4/5/1961 asthma",
    "gout AND {both}",
    "({both}) AND gout",
    "gout AND {both} AND statin",
    "asthma AND ({both})",
    "{both} AND allopurinol",
    "PATIENT {both} NEEDS A STATIN?",
    "{low} has asthma and is 7, montelukast?",
    "ms. {low} has ra, methotrexate?",
    "mr {low} takes warfarin, ibuprofen?",
    "{both} 12/03/56 gout",
    "Our resident Mr. {family} falls a lot.",
)


def _mistyped(text: str, draw: random.Random) -> str:
    """The text with a slip in one word of ten: two letters swapped, or one left out."""
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 4 and draw.random() < 0.1:
            at = draw.randrange(1, len(word) - 2)
            words[place] = (
                word[:at]
                + (word[at + 1] + word[at] if draw.random() < 0.5 else "")
                + word[at + 2 :]
            )
    return " ".join(words)


def _with_others(
    question: str, spans: Sequence[tuple[int, int]], names: Names, weight: float, number: int
) -> Text:
    pieces, marked, end, length = list[str](), list[tuple[int, int]](), 0, 0
    for start, stop in spans:
        new = names.like(question[start:stop])
        pieces += [question[end:start], new]
        length += start - end
        marked.append((length, length + len(new)))
        length, end = length + len(new), stop
    return Text("".join([*pieces, question[end:]]), tuple(marked), weight, number)


def real(data: Path) -> list[str]:
    """Even rows of the real questions, queries and titles."""
    from clinfo.pubmed.xml import read_file
    from clinfo.records.articles import Article

    with (data / "pubmedrs200" / "PubMedRS-200.csv").open(newline="", encoding="utf-8") as stream:
        found = [
            row[column]
            for row in list(csv.DictReader(stream))[::2]
            for column in ("questions", "HumanQuestions")
        ]
    with gzip.open(
        data / "pubmedqa" / "ori_pqal.first700.json.gz", "rt", encoding="utf-8"
    ) as stream:
        found += [row["QUESTION"] for pmid, row in json.load(stream).items() if int(pmid) % 2 == 0]
    for name in ("llm_pubmed_queries.jsonl.gz", "queries/human_pubmed_queries.jsonl.gz"):
        with gzip.open(data / name, "rt", encoding="utf-8") as stream:
            found += [json.loads(line)["query"] for line in list(stream)[::2]]
    titles = [
        one.title
        for path in sorted((data / "citations").glob("*.xml.gz"))
        for one in read_file(path)
        if isinstance(one, Article) and one.pmid and int(one.pmid) % 2 == 0
    ]
    return [*found, *random.Random(SEED).sample(titles, min(TITLES, len(titles)))]


Sample = tuple[list[str], int, float, int]


def samples(every: Sequence[Text]) -> list[Sample]:
    """(features, 1 for a name or 0, weight, question) of each word that may be a name."""
    found: list[Sample] = []
    for text in every:
        tokens = person_names.tokens_of(text.text)
        tagged = person_names.tagged_persons(text.text)
        for place, features in person_names.candidates(tokens):
            if any(start <= tokens[place].start < end for start, end in tagged):
                continue
            inside = any(
                tokens[place].start < end and start < tokens[place].end for start, end in text.names
            )
            found.append((features, int(inside), text.weight, text.question))
    return found


def fit(rows: Sequence[Sample], draw: random.Random) -> dict[str, float]:
    """The weights, by AdaGrad over the rows in a drawn order, the mean after the last passes;
    features seen seldom have none.
    """
    seen = Counter(
        feature for features, _, _, question in rows if question < 0 for feature in features
    )
    seen += Counter(
        one
        for one, _ in {
            (one, question) for features, *_, question in rows if question >= 0 for one in features
        }
    )
    index = {
        feature: place
        for place, feature in enumerate(
            sorted(one for one, count in seen.items() if count >= LEAST_SEEN)
        )
    }
    held = [
        ([index[one] for one in features if one in index], label, weight)
        for features, label, weight, _ in rows
    ]
    weights, squares = [0.0] * len(index), [1e-2] * len(index)
    total = [0.0] * len(index)
    for epoch in range(EPOCHS):
        kept = epoch >= EPOCHS - LAST
        draw.shuffle(held)
        for places, label, weight in held:
            score = sum(map(weights.__getitem__, places))
            slope = weight * (1 / (1 + math.exp(-max(-30.0, min(30.0, score)))) - label)
            if abs(slope) < 1e-3:
                continue
            for place in places:
                step = slope + DECAY * weights[place]
                squares[place] += step * step
                weights[place] -= RATE * step / math.sqrt(squares[place])
        if kept:
            total = [one + weight / LAST for one, weight in zip(total, weights, strict=True)]
    return {
        feature: round(total[place], 2)
        for feature, place in index.items()
        if abs(total[place]) >= 0.05
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.fit_names",
        description="Fit the weights of names of persons.",
    )
    parser.add_argument("--data", type=Path, default=DATA)
    draw = random.Random(SEED)
    every = texts(parser.parse_args(arguments).data, draw)
    rows = samples(every)
    weights = fit(rows, draw)
    name_weights.FILE.write_bytes(packed(weights))
    print(f"{len(every)} texts, {len(rows)} words, {len(weights)} weights")


def packed(weights: Mapping[str, float]) -> bytes:
    """The content of the file of weights: the same bytes for the same weights."""
    lines = "".join(f"{weight:g}\t{feature}\n" for feature, weight in sorted(weights.items()))
    return gzip.compress(lines.encode(), 9, mtime=0)


if __name__ == "__main__":
    main()
