"""Words that tell whether a name beside them is that of a person asked about: by kind, as
`clinfo.privacy.person_names`
        reads them.

Written down from the language, without a source.
"""

_KINDS = {
    "kin": """son sons daughter daughters mother father mum mom mam dad mummy mommy daddy papa mama wife husband hubby
        partner
        spouse fiance fiancee boyfriend girlfriend brother sister bro sis uncle aunt auntie aunty nephew niece cousin
        grandmother
        grandfather grandma grandpa granny gran nana nan grandad granddad grandson granddaughter grandchild twins twin kid
        kiddo neighbour neighbor friend buddy colleague coworker roommate flatmate stepson stepdaughter stepmother stepfather
        stepdad stepmum in-law mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law
        mother's father's parent parents family child baby hermano hermana madre padre hijo hija
        lodger tenant ex boss goddaughter godson godfather godmother classmate teammate landlord landlady nanny pal mate
        esposo
        esposa marido abuelo abuela tía tío mutter vater sohn tochter bruder schwester oma opa ehemann ehefrau père mère
        fils fille
        frère sœur soeur mari figlia figlio mamma papà nonna nonno moglie filho filha mãe pai avó avô irmã irmão moeder zoon
        dochter муж мужу мужа жена жене жены сын сыну сына дочь дочери дочке мама маме мамы мать отец отцу отца папа
        папе бабушка
        бабушке бабушки дедушка дедушке брат брату сестра сестре ابني ابنتي أمي أبي زوجتي زوجي والدتي والدي אמא אבא הבן
        הבת בני בתי
        האם बेटा बेटी बेटे माँ पिता मां 아들 딸 엄마 아빠 어머니 아버지 남편 아내 할머니 할아버지 妈妈 爸爸 母亲 父亲
        儿子 女儿 丈夫 妻子 老公 老婆 奶奶 爷爷
        媽媽 母親 父親 兒子 女兒 息子 娘 父 母""",  # noqa: E501
    "patient": """patient pt client resident case inpatient outpatient paciente patiente patientin patienten paziente
        pacjent pts
        bed patienta pacient пациент пациента пациенту пациентка пациентки пациентке больной больная больного مريضتي
        مريضي المريض
        المريضة ασθενής 환자 患者 病人 病患
        пацијент пацијенткиња хворий хвора חולה החולה நோயாளி ਮਰੀਜ਼ ታካሚ রোগী मरीज मरीज़ रोगी ผู้ป่วย คนไข้
        بیمار مریض hasta pacjentka potilas""",  # noqa: E501
    "person": """man woman boy girl lady gentleman gent guy fellow male female toddler infant newborn neonate teenager
        teen teacher
        student farmer smoker person somebody someone pensioner veteran nurse m f adult""",  # noqa: E501
    "title": """mrs miss mx frk pani bayan
        mme mlle messrs madame mademoiselle monsieur señor señora señorita senor senora herr frau signor
        signora senhor senhora dhr mevr mevrouw meneer shri smt mister missus sra monsieur
        señorita signorina dona господин госпожа господину госпоже κυρία κύριος السيد السيدة श्री श्रीमती さん 様 氏
        ちゃん くん 씨 님 先生 女士 小姐 太太""",  # noqa: E501
    "clinician": """dr doctor drs prof professor dra docteur doktor surgeon consultant physician neurologist cardiologist
        oncologist psychiatrist gp specialist author authors rabbi saint st sir president""",  # noqa: E501
    "called": "named called name names nickname nicknamed known initials surname nombre naam imię",
    "own": """my our his her their your this hers meine meiner meinem mein unser unsere meu minha mon nuestra nuestro
        mijn мой моя моей моему моего моя मेरी मेरे मेरा 우리 제""",  # noqa: E501
    "i": "i im i'm i'am me myself ich yo",
    "he": "he she him himself herself they them",
    "is": "is was are were be been being isn't wasn't isnt",
    "has": "hat tiene tem has had have having hasn't hasnt gets got getting gotten",
    "does": """should can could would will shall may might must does do did cannot can't won't doesn't
        shouldn't cant wont dont doesnt shouldnt didnt couldnt how when""",  # noqa: E501
    "date": """january february march april june july august september october november december jan feb mar apr jun jul
        aug sep
        sept oct nov dec monday tuesday wednesday thursday friday saturday sunday christmas easter ramadan""",  # noqa: E501
    "person's verb": """want need ask wonder complain keep present come go fall suffer feel live smoke drink take try think
        takes took taking needs needed wants wanted asks asked asking wonders wondered complains complained denies
        refuses refused keeps kept presented presents came comes went fell broke suffers suffered feels felt lives lived
        smoked
        smokes drinks vomits coughs worries worried weighs uses used started starts stopped stops tried tries vapes
        snores cries
        wakes says said told thinks thought hates likes loves struggles developed develops underwent received diagnosed
        admitted scheduled allergic pregnant breastfeeding intubated swallowed bitten turned turns aged born works
        worked stays
        slipped collapsed fainted seized relapsed sleeps eats walks tests missed forgot respond responds stop start fly
        dive drive travel sleep recover continue
        switch wait return swim run exercise conceive breastfeed tolerates declines declined
        insists attends  lost loses gained gains gave birth recovering started hates plays""",  # noqa: E501
    "thing": """syndrome syndromes disease diseases sign signs test tests score scores scale scales operation procedure
        procedures
        hospital university institute institution method methods technique techniques classification criteria criterion
        center
        centre clinic foundation reflex fracture fractures position manoeuvre maneuver lymphoma tumor tumour thyroiditis
        palsy
        questionnaire inventory index indices staging stage grade grading formula equation model alliance college school
        memorial virus cell cells fever law principle effect phenomenon prosthesis implant implants anomaly malformation
        artery
        dystrophy ataxia chorea neuropathy deformity body bodies contracture rating county department state city registry
        initiative programme program approach report vaccine vaccines catheter tube mask blade needle graft shunt line drain
        sequence murmur pupil anastomosis angina splint rule rules theory protocol nucleus canal ligament duct gland
        node nodes
        valve stent diet fast pharma kit assay gene wort curve curves arteritis arthritis gangrene dermatitis encephalopathy
        procedure tyrosine cross white phase esophagus oesophagus oil coil ring sarcoma schedule regimen exercises position
        resection fundoplication hernia technique drainage dementia psychosis task medicine""",  # noqa: E501
    "study": """trial trials study studies et al al. group review meta-analysis cohort paper article guideline guidelines
        collaboration consortium""",  # noqa: E501
    "showed": """right wrong prove proved proves show say said argue claim found showed shows reported argued argues
        suggests suggested concluded published claims claimed describes wrote""",  # noqa: E501
    "in": "in at from near around outside",
    "to": "to",
    "with": "with on against off",
    "of": "of by after before during per since under than versus vs as between among into like if",
    "able": "safe ok okay fit able allowed ready eligible likely supposed due old-enough too enough",  # noqa: E501
    "acts": """help helps helped helpful prevent prevents cause causes reduce reduces lower lowers improve improves
        raise raises
        beat beats affect affects interact interacts delay delays cure cures protect protects work better worse effective
        superior useful approved used""",  # noqa: E501
    "signed": "thanks regards sincerely cheers signed yours thx consult update following",
    "for": "for re regarding concerning about ref seen saw see treat treating",
    "the": "the a an any some these those each another der die das el los las les",
    "and": "and or plus nor but & und y et",
    "old": (
        "y/o yo yrs yr years year old month months week weeks day yo's year-old years-old jahre "
        "ans años anos anni"
    ),
    "query": "AND OR NOT",
    "small": """we what which who whom whose why where there here it its also not no yes too so that then please hi
        hello hey dear
        thanks just now still only""",  # noqa: E501
}
CUES = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""The kind of each word, in small letters."""
PARTICLES = frozenset(
    [
        "van",
        "von",
        "de",
        "del",
        "della",
        "da",
        "dos",
        "der",
        "den",
        "di",
        "du",
        "la",
        "le",
        "el",
        "al",
        "bin",
        "bint",
        "ibn",
        "ter",
        "ten",
        "zu",
    ]
)
"""Small words within surnames."""
