"""Everyday words of medicine and the words that articles write for the same thing: data for `clinfo.text.claim_words`.

One line is one group of words read as one; a word of two groups counts for the first. General English of medicine, written down
from the language and not from any set of cases. Words of a group need not mean quite the same: that a sentence speaks of
deaths where its source speaks of survival is settled by direction, not here.
"""

from __future__ import annotations

WORDS = """
child children youngster youngsters kid kids paediatric pediatric childhood juvenile juveniles
woman women female females girl girls
man men male males boy boys
elderly older aged geriatric seniors senior aging ageing frail
death deaths mortality survival fatal fatality fatalities died dying die dies dead survive survived survives survivors lethal
operation surgery surgical operative operated operations operate surgically surgeries
postoperative postoperatively postsurgical
preoperative preoperatively presurgical
medicine drug medication medications medicines drugs pharmacological pharmacologic pharmacotherapy pharmaceutical
  pharmaceuticals
hospital hospitals hospitalisation hospitalization hospitalised hospitalized inpatient inpatients admission admissions
  admitted ward wards
doctor physician physicians doctors clinician clinicians
walking gait walk walked stroll strolled strolling walks ambulation ambulatory walkers
stop stops stopped discontinue discontinued discontinuation withdrawal withdrew cessation quit quitting
begin began begun start started starts initiation initiated initiate onset starting commenced commencing
recurrence recurrent recur recurred relapse relapsed relapses relapsing recurrences returned
hypertension hypertensive antihypertensive hypertensives
hypotension hypotensive
infection infected infections infectious sepsis septic
complication complications
adverse side unwanted untoward harms harm harmful undesirable
bleeding bleed bleeds haemorrhage hemorrhage haemorrhagic hemorrhagic bled haemorrhages hemorrhages
teeth tooth dental dentition
dentist dentists dentistry
gum gums gingival periodontal gingiva periodontium periodontitis gingivitis
eye eyes ocular ophthalmic vision visual sight eyesight
ear ears otologic aural
nose nasal nostril nostrils
hearing auditory deafness deaf
mouth oral orally buccal
tongue lingual
school schools pupils pupil schoolchildren
student students undergraduate undergraduates
weight bodyweight
blood serum plasma
swelling oedema edema swollen oedematous edematous
itch itching pruritus itchy pruritic
clot clots clotting thrombosis thrombotic thromboembolism thrombus thromboses thrombi thromboembolic
fracture fractures broken fractured
cough coughing coughs
tired tiredness fatigue exhaustion fatigued lassitude
nutrition nutritional nourishment
malnutrition malnourished undernutrition undernourished
diagnose diagnosis diagnosed diagnostic diagnoses detection detect detected detects detecting identify identified identifies
  identification recognise recognised recognition
screen screening screened
pregnant pregnancy gestation gestational pregnancies gravid
mother mothers maternal motherhood
father fathers paternal
parent parents parental
birth births delivery delivered deliveries born childbirth labour labor parturition intrapartum
postpartum postnatal puerperal puerperium
prenatal antenatal antepartum
miscarriage miscarriages abortion abortions miscarried
stillbirth stillbirths stillborn
caesarean cesarean section
baby infant infants babies newborn newborns neonate neonates neonatal
preterm premature prematurity prematurely
fetus foetus fetal foetal unborn fetuses foetuses
toddler toddlers preschool preschooler preschoolers
teenager teenage adolescent adolescents teenagers youth teens youths adolescence
old age ages
often frequency frequent frequently common commonly frequencies
rare rarely infrequent uncommon seldom infrequently
before prior previous previously preceding earlier
training exercise exercises workout workouts trained exercising
worry worries anxiety anxious worried
depression depressive depressed
sadness sad mood
obesity obese overweight adiposity
thin underweight thinness
smoker smokers smoking smoked smoke smokes tobacco cigarette cigarettes
alcohol drinking drinkers drink drinker drank alcoholic alcoholism alcoholics
money cost costs economic costly expensive cheaper cheap economical expense expenses expenditure spending price prices
  financial
length duration lasting lasted last lasts
guide guided guidance guideline guidelines
nurse nurses nursing
cancer tumour tumor carcinoma neoplasm malignancy malignant cancers tumours tumors malignancies neoplasms neoplastic neoplasia
  carcinomas oncological oncology oncologic
spread metastasis metastases metastatic disseminated dissemination
heart cardiac cardiovascular
kidney renal kidneys nephropathy
liver hepatic
lung pulmonary lungs
stomach gastric
bowel intestinal gut colonic colon intestine intestines enteric
rectum rectal
gullet oesophagus esophagus oesophageal esophageal
gallbladder biliary bile
gallstone gallstones cholelithiasis
spleen splenic
pancreas pancreatic
bladder vesical
womb uterus uterine
neck cervical
cervix cervical
ovary ovarian ovaries
breast mammary breasts
breastfeeding breastfed lactation lactating breastfeed
testicle testicular testes testis
brain cerebral brains
stroke strokes cerebrovascular
skin cutaneous dermal dermatological dermatologic
rash rashes eruption exanthema eruptions
hives urticaria
acne pimples
bone bony osseous skeletal bones
marrow myeloid
muscle muscular muscles musculature
nerve neural nerves neuronal
joint joints articular arthritic
arthritis arthritides
cartilage chondral
backbone spine spinal vertebral vertebrae
throat pharyngeal pharynx
windpipe trachea tracheal
airway airways
vein venous veins intravenous intravenously
artery arterial arteries
vessel vessels vascular
knee knees
hip hips
shoulder shoulders
elbow elbows
wrist wrists
ankle ankles
hand hands
foot feet podiatric
leg legs limb limbs
arm arms
head cranial heads
skull cranium
face facial
belly abdomen abdominal tummy
chest thoracic thorax
pelvis pelvic
groin inguinal
back lumbar
imaging scan scans radiological radiology radiographic radiograph radiographs radiologic xray xrays
ultrasound ultrasonography sonography ultrasonographic sonographic echography
echocardiography echocardiographic echocardiogram
memory memories recall
thinking cognition cognitive cognitively
dementia demented
forgetfulness amnesia
satisfied satisfaction content pleased contentment
questionnaire survey surveys questionnaires surveyed
placebo dummy sham
region area areas regions regional
work job jobs employment occupational occupation worker workers employed employees workplace working
sex gender
ethnic ethnicity race racial
black african
injury injuries injured trauma traumatic traumas
burn burns
bruise bruises bruising haematoma hematoma haematomas
accident accidents collision crash crashes
fall falls falling fallers faller
predict predictor predictors predicted predictive predicts predicting foretell foretold foretells forecast forecasts
  prediction prognostic prognosis
recover recovery recovered recuperation rehabilitation recovering rehabilitative convalescence
heal healing healed heals
cure cured cures curative
prevent prevention prophylaxis prophylactic preventive prevented prevents preventing preventable prophylactically warded
vaccine vaccination vaccinated vaccines immunisation immunization immunised immunized jab jabs vaccinations vaccinating
shot shots injection injections injected inject injecting infiltration
antibiotic antibiotics antimicrobial antimicrobials antibacterial
germ germs bacteria bacterial bacterium microbes microbial pathogen pathogens microorganism microorganisms organisms
virus viral viruses
fungus fungal fungi mycotic
worm worms helminth helminths helminthic
parasite parasites parasitic
mosquito mosquitoes
vomiting emesis vomit vomited vomits
nausea nauseous nauseated queasiness sickness sick
diarrhoea diarrhea diarrhoeal diarrheal
constipation constipated
indigestion dyspepsia dyspeptic
heartburn reflux
appetite anorexia
hunger hungry satiety
swallowing dysphagia swallow deglutition
fever febrile pyrexia feverish
sleep insomnia sleeping slept asleep sleepless sleeplessness
drowsy drowsiness sleepiness somnolence sedation sedated somnolent sedative
relative relatives family families familial household households kin
caregiver caregivers carer carers caregiving caring
emergency urgent emergent emergencies urgently
remove removal removed resection resected excision excised removing extraction extracted resections ablation
minimal minimally keyhole laparoscopic laparoscopy laparoscopically
brushing toothbrushing toothbrush
inflammation inflammatory inflamed
mind mental psychological psychiatric psychologically mentally
suicide suicidal suicides suicidality
ulcer ulcers ulceration ulcerative
bedsore bedsores decubitus
suffer suffering suffered suffers
glucose sugar glycaemic glycemic glycaemia glycemia sugars
lipid cholesterol lipids
fat fats fatty adipose
salt sodium
diabetes diabetic diabetics
asthma asthmatic asthmatics
allergy allergic allergies
epilepsy epileptic
seizure seizures convulsion convulsions convulsive
paralysis paralysed paralyzed palsy paresis plegia paralytic
numbness numb sensory
weakness weak weakened
tremor tremors shaking
dizziness dizzy vertigo giddiness lightheadedness
fainting faint syncope fainted syncopal
headache headaches cephalalgia
migraine migraines
pain analgesia analgesic painful ache aches pains aching sore soreness painkiller painkillers analgesics
anaesthesia anesthesia anaesthetic anesthetic anaesthetised anesthetised anesthetized anaesthetics anesthetics
breathing respiratory breath breathe respiration ventilatory
breathlessness dyspnoea dyspnea breathless
wheeze wheezing wheezy
pneumonia pneumonias
ventilator ventilators ventilation ventilated
jaundice icterus icteric hyperbilirubinaemia hyperbilirubinemia
anaemia anemia anaemic anemic
cell cells cellular
gene genes genetic genetics genetically genomic
inherited hereditary heritable inheritance
mutation mutations mutated mutant
enzyme enzymes enzymatic
protein proteins
hormone hormones hormonal
menopause menopausal postmenopausal climacteric
menstruation menstrual periods menses
contraception contraceptive contraceptives
infertility infertile subfertility subfertile fertility fertile
sexual sexually intercourse
erection erectile impotence
urine urinary urination voiding micturition
incontinence incontinent leakage
dialysis haemodialysis hemodialysis
transplant transplantation transplanted transplants graft grafts grafting
donor donors donation donated
transfusion transfused transfusions
diet dietary diets eating
food foods meal meals
vegetable vegetables
vegetarian vegan vegetarians
supplement supplementation supplements supplemented
vitamin vitamins
tablet tablets pill pills capsule capsules
dose doses dosage dosing dosages dosed
ointment cream topical creams gel
patch transdermal patches
drip infusion infusions infused infusing
device devices
needle needles
acupuncture needling
massage massaged
physiotherapy talking psychotherapy psychotherapeutic counselling counseling psychotherapies counsellor
behaviour behavior behavioural behavioral behaviours behaviors
teaching education educational taught educated teach schooling educate instruct instruction
learn learning learnt learned
intelligence intellectual iq
autism autistic
schizophrenia schizophrenic psychosis psychotic
hallucination hallucinations
bipolar manic mania
delirium delirious confusion confused
stress stressed stressful stressors
trauma traumatised traumatized
addiction addicted dependence dependency addictive
overdose overdoses poisoning intoxication poisoned
opioid opioids opiate opiates narcotic narcotics
cannabis marijuana
violence violent abuse abused maltreatment
poor poverty deprived deprivation disadvantaged poorer poorest
income incomes earnings
education schooling
rural countryside village villages villagers
urban city cities town
home homes house houses domiciliary
community communities
clinic clinics outpatient outpatients ambulatory
practice practices gp gps
pharmacy pharmacist pharmacists
physiotherapist physiotherapists
volunteer volunteers
veteran veterans
soldier soldiers military army
immigrant immigrants migrant migrants
prisoner prisoners prison prisons inmates
athlete athletes athletic sport sports sporting player players
running runners runner
strength strong stronger
mobility mobile moving movement movements motion
disability disabled disabilities disabling
independence independent independently
wellbeing wellness
survive surviving
expectancy lifespan longevity
risk risks hazard hazards odds likelihood chance chances probability likelier likely danger dangers
incidence occurrence occurred occur occurring happened happen arose developed
prevalence prevalent
amount quantity
level levels concentration concentrations
measure measured measurement measurements measuring
assess assessment assessed
test tests tested testing
sample specimen specimens
biopsy biopsies
autopsy autopsies necropsy postmortem
laboratory lab laboratories
mouse mice murine
rat rats rodent rodents
animal animals
rabbit rabbits
pig pigs porcine swine
dog dogs canine
cow cows bovine cattle
sheep ovine
monkey monkeys primate primates
gallop rhythm arrhythmia arrhythmias arrhythmic
pulse heartbeat beats
tachycardia tachycardias
bradycardia bradycardic
angina anginal
coronary coronaries
infarction infarctions infarct infarcts
bypass bypassed
stent stents stenting stented
valve valves valvular
pacemaker pacemakers pacing
defibrillator defibrillators defibrillation
resuscitation resuscitated cpr
aneurysm aneurysms
narrowing stenosis stenoses narrowed stenotic stricture strictures
blockage obstruction obstructed occlusion blocked obstructive occluded
hardening sclerosis atherosclerosis atherosclerotic
varicose varicosities
shock shocks
stone stones calculi lithiasis calculus
cyst cysts cystic
lump lumps nodule nodules mass masses
polyp polyps adenoma adenomas polypectomy
hernia hernias herniation
appendix appendicitis appendectomy appendicectomy
tonsil tonsils tonsillectomy tonsillar
cataract cataracts
glaucoma glaucomatous
myopia shortsighted shortsightedness nearsightedness myopic
blind blindness
retina retinal
scar scars scarring cicatrix
hair alopecia baldness
nail nails onychomycosis
sweat sweating hyperhidrosis perspiration
sunlight sun ultraviolet solar
tan tanning
mole naevus nevus moles naevi nevi
melanoma melanomas
leukaemia leukemia leukaemic leukemic
lymphoma lymphomas
chemotherapy chemotherapeutic cytotoxic
radiotherapy irradiation radiation irradiated
palliative hospice
remission remissions
stage stages staging staged
grade grades graded grading
severe severity seriously serious
mild slight slightly mildly
chronic longstanding persistent persisting persisted
acute sudden
fast rapid rapidly quickly quick swift swiftly speedy speed
slow slowly
soon early
immediate immediately instantly prompt promptly
overnight nocturnal night nights nighttime nightly
daily everyday
weekly week weeks
monthly month months
yearly annual annually year years
hour hours hourly
morning mornings
smell olfactory olfaction odour odor
taste gustatory
touch tactile
voice vocal speech speaking spoken
language languages linguistic
reading literacy
stutter stammer stuttering stammering
adherence adherent compliance compliant adhere adhered nonadherence
tolerate tolerated tolerability tolerance tolerable
toxic toxicity toxicities
safe safety safely
efficacy effectiveness effective efficacious
attitude attitudes beliefs belief opinion opinions views perception perceptions perceived
knowledge awareness aware understanding know knew known
fear afraid fearful fears
anger angry
happiness happy
lonely loneliness isolation isolated
trust trusted confidence confident
prescribe prescribed prescription prescriptions prescribing
appointment appointments visit visits consultation consultations contact contacts
referral referred referrals refer
discharge discharged discharges
stay stays
intensive critical critically
decide decision decisions choice choices choose chose
telephone phone phones mobile smartphone smartphones
online internet web website websites
computer computerised computerized computers digital
email emails
message messages messaging sms reminders reminder
leaflet leaflets brochure brochures pamphlet booklet
video videos videotape
share shares sharing shared proportion proportions percentage percentages fraction
half halves
third thirds
deprive lack deficiency deficient deficits insufficiency shortage deficit
excess excessive
abnormal abnormality abnormalities anomaly anomalies anomalous
malformation malformations deformity deformities defect defects
congenital inborn
syndrome syndromes
disorder disorders illness illnesses disease diseases ailment ailments condition conditions
symptom symptoms complaint complaints symptomatic
symptomless asymptomatic
patient patients sufferers sufferer
participant participants subjects enrolled enrollees
carriers carrier carriage
spontaneous spontaneously
therapy therapies therapeutic treatment treatments treated treat treating
combine combined combination combinations combining plus adding added adjunct adjunctive adjuvant
alone monotherapy
repeat repeated repeatedly repetition
reuse retreatment
switch switched switching
replace replacement replaced substitution substitute arthroplasty
repair repaired repairs reconstruction reconstructed
fix fixation fixed
closed closure close
open opened
drain drainage drained
stitch stitches suture sutures sutured suturing
bandage bandages dressing dressings
plaster cast casts splint splints
brace braces orthosis orthoses
insole insoles
shoe shoes footwear
glove gloves
mask masks
washing hygiene wash handwashing
clean cleaning cleansing disinfection disinfected
air pollution polluted
noise noisy
heat hot warm warming heated thermal
cold cool cooling cooled hypothermia
gait stride
balance postural posture
stiffness stiff
flexibility flexible
cramp cramps spasm spasms spasticity spastic
sprain sprains sprained
tendon tendons tendinopathy
ligament ligaments
osteoporosis osteoporotic
gout gouty
rheumatism rheumatic rheumatoid
lupus sle
thyroid goitre goiter
influenza flu
tuberculosis tb tuberculous
malaria malarial plasmodium
measles rubeola
chickenpox varicella
shingles zoster
whooping pertussis
mumps parotitis
syphilis syphilitic
herpes herpetic
wart warts verruca papilloma
thrush candidiasis candida
lice pediculosis
scabies scabietic
rabies rabid
leprosy leprous
cholera vibrio
typhoid salmonella
ringworm tinea
eczema dermatitis atopic
psoriasis psoriatic
dandruff seborrhoeic seborrheic
cellulitis erysipelas
abscess abscesses
therapist therapists practitioner practitioners
resident residents trainee trainees registrar registrars interns intern houseman
specialist specialists consultant consultants expert experts
staff personnel workforce professionals professional provider providers
midwife midwives midwifery
pathologist pathologists pathology histology histological histologic histopathology histopathological
cadaver cadavers corpse corpses
needed need needs requirement required
practised practiced practise practising skill skills skilled proficiency proficient competence competent adept expertise
  mastery
instructor instructors trainer trainers teacher teachers tutor coach coaching
simulator simulation simulators simulated
handle handled handling use used using usage utilisation utilization
wait waiting waits delay delays delayed
wrong wrongly improper improperly incorrect incorrectly mistaken mistake mistakes error errors
snore snoring snored snores snorers
spasticity antispasticity antispastic
artificial prosthetic prosthesis prostheses implant implants implanted implantation
driver drivers driving motorists
car cars vehicle vehicles traffic road roads
bicycle bicycles cyclists cycling cycle
police enforcement
law laws legislation legislative legal act
tax taxes taxation
government governmental
insurance insured insurer insurers
ban bans banned prohibition
trend trends trending
journal journals paper papers article articles manuscript manuscripts publication publications published
author writers writer
reviewer reviewers referee referees
citation citations cited cite
database databases register registers registry registries
nationwide national nation country countries
abroad overseas international
world worldwide global globally
ageing senescence
senility dementia
alzheimer alzheimers
parkinson parkinsonian parkinsonism
schooling pupils
married marital marriage spouse spouses partner partners husband wife couples
divorce divorced
widow widowed bereaved bereavement grief
orphan orphans
adoption adopted adoptive
twins twin
sibling siblings brother sister brothers sisters
grandparent grandparents
friend friends peer peers
bully bullying bullied
crime criminal offenders offending
homeless homelessness
unemployment unemployed jobless
retired retirement
disabled handicapped handicap
wheelchair wheelchairs
crutch crutches cane canes
bedridden bedbound immobile immobility immobilisation immobilization
sit sitting seated sedentary
squat squats
jump jumps jumping
lift lifting lifted
grip handgrip grasp
throw throwing pitchers
swim swimming swimmers
football soccer footballers
yoga meditation mindfulness
tai qigong
music musical
art arts
dance dancing
game games gaming
robot robotic robots
camera cameras photograph photographs photography photographic
microscope microscopy microscopic
naked macroscopic macroscopically
probe probes
catheter catheters catheterisation catheterization catheterized
tube tubes tubing intubation intubated
drainage drains thoracostomy
mesh meshes
screw screws
plate plates plating
nail nailing
wire wires
laser lasers
freeze freezing frozen cryotherapy cryosurgery
electric electrical electrically electricity electrosensitive electrosensitivity
magnet magnetic
shockwave shockwaves
light lamp lamps phototherapy
bath baths bathing
oxygen oxygenation hypoxia hypoxic hypoxaemia hypoxemia
carbon co2 paco2 etco2
iron ferritin ferrous
calcium calcaemia calcemia
potassium hyperkalaemia hypokalaemia
sodium natraemia
sugary sucrose sweetened
sweetener sweeteners
coffee caffeine
tea teas
milk dairy
egg eggs
nut nuts
bean beans legumes soy soya
fibre fiber fibres
garlic allium
herb herbs herbal
spice spices
oil oils
fish seafood
meat meats
fruit fruits
juice juices
wine wines beer beers
fasting fasted
breakfast dinner lunch
obese fatness
slim lean thinness
waist girth
tall height stature
stunted stunting
growth grow grew
puberty pubertal adolescence
menarche menarcheal
virgin virginity
condom condoms
prostitute prostitutes
gay homosexual homosexuals bisexual
transgender transsexual
hiv aids
sterile sterility sterilisation sterilization
vasectomy vasectomies
ovulation ovulatory anovulatory
egg oocyte oocytes ovum ova
sperm semen spermatozoa seminal
embryo embryos embryonic
placenta placental
cord umbilical
waters membranes amniotic amnion
breech malpresentation
forceps vacuum
episiotomy perineal perineum
tear tears laceration lacerations rupture ruptured ruptures
stiff rigid rigidity elastance
barrier barriers obstacle obstacles hindrance
trust confidence
hope hopeful optimism optimistic
helpless helplessness
hopeless hopelessness
guilt guilty shame
self-esteem esteem
coping cope copes
resilience resilient
burnout exhaustion
motivation motivated motivational
intention intentions intend intended
habit habits habitual
skip omission omissions omitted missed
forget forgotten forgetting
dream dreams nightmare nightmares
apnoea apnea apnoeas
gasp gasping
choke choking aspiration
hiccup hiccups
burp belching
gas flatulence bloating bloated
cramps colic colicky
faeces feces faecal fecal stool stools
worm anthelmintic
bite bites bitten
sting stings
poison poisons toxin toxins poisonous
venom snakebite snakebites
dust dusty
mould mold moulds
pollen pollens
pet pets
cockroach cockroaches
tick ticks
flea fleas
bat bats
bird birds avian poultry
chicken chickens
insect insects insecticide
net nets bednet bednets
outbreak outbreaks epidemic epidemics pandemic
quarantine isolation
contagious transmissible transmission transmitted
immune immunity immunological immunologic
antibody antibodies seropositive serological
carcinogen carcinogenic carcinogenesis
benign noncancerous
lethal deadly
incurable terminal
lymph lymphatic nodal
gland glands glandular
duct ducts ductal
tissue tissues
membrane mucosa mucosal
scarred fibrosis fibrotic cicatricial
hardened calcified calcification
fluid fluids effusion effusions
pleura pleural
diaphragm diaphragmatic
rib ribs costal
collarbone clavicle clavicular
jaw mandible mandibular maxilla maxillary
cheek buccal
lip lips labial
thigh femur femoral
shin tibia tibial
calf gastrocnemius
heel calcaneal calcaneus
toe toes hallux
finger fingers digit digits digital
thumb thumbs
forearm radius radial ulna
tailbone coccyx
buttock buttocks gluteal
navel umbilicus
eyelid eyelids palpebral
eyelash eyelashes
cornea corneal
deafness hearing
earwax cerumen
grommet grommets tympanostomy
sinus sinuses sinusitis
snot mucus mucous sputum phlegm
hoarse hoarseness dysphonia
croup laryngotracheitis
bronchitis bronchial bronchiolitis
emphysema copd
smog smoke
pus purulent
"""
"""One group a line; a line that begins with spaces goes on with the group before."""

PHRASES = """
high blood pressure = hypertension
raised blood pressure = hypertension
low blood pressure = hypotension
blood poisoning = sepsis
heart attack = myocardial infarction
heart attacks = myocardial infarction
irregular heartbeat = arrhythmia
slow heartbeat = bradycardia
slow heart rate = bradycardia
rapid heartbeat = tachycardia
fast heart rate = tachycardia
cardiac arrest = heart arrest
mini stroke = transient ischaemic attack
blood sugar = blood glucose
sugar disease = diabetes
low blood sugar = hypoglycaemia
high blood sugar = hyperglycaemia
blood thinner = anticoagulant
blood thinners = anticoagulant
oral anticoagulants = anticoagulant
water pill = diuretic
water pills = diuretic
sleeping pill = hypnotic
sleeping pills = hypnotic
side effect = adverse event
side effects = adverse event
adverse effect = adverse event
adverse effects = adverse event
adverse reaction = adverse event
adverse reactions = adverse event
unwanted effects = adverse event
length of stay = hospital stay
time in hospital = hospital stay
days in hospital = hospital stay
stayed in hospital = hospital stay
gave birth = birth
give birth = birth
giving birth = birth
given birth = birth
given a vaccine = vaccination
low mood = depression
passed away = death
stay alive = survival
stayed alive = survival
be alive = survival
were alive = survival
still alive = survival
lived longer = survival
live longer = survival
broken hip = hip fracture
broken hips = hip fracture
broken bone = fracture
broken bones = fracture
brittle bones = osteoporosis
bone thinning = osteoporosis
thin bones = osteoporosis
gum disease = periodontitis
mouth ulcers = oral ulcer
tooth decay = caries
dental decay = caries
decayed teeth = caries
cavities = caries
short of breath = dyspnoea
shortness of breath = dyspnoea
difficulty breathing = dyspnoea
trouble breathing = dyspnoea
out of breath = dyspnoea
runny nose = rhinitis
hay fever = allergic rhinitis
common cold = upper respiratory infection
chest infection = lower respiratory infection
sore throat = pharyngitis
ear infection = otitis media
ear infections = otitis media
middle ear infection = otitis media
pink eye = conjunctivitis
short sight = myopia
short sightedness = myopia
near sightedness = myopia
clouding of the lens = cataract
stuffed nose = nasal congestion
loss of smell = anosmia
trouble sleeping = insomnia
poor sleep = insomnia
sleeping problems = insomnia
loss of appetite = anorexia
gained weight = weight gain
put on weight = weight gain
lost weight = weight loss
losing weight = weight loss
lose weight = weight loss
shed weight = weight loss
too heavy = overweight
kidney stone = nephrolithiasis
kidney stones = nephrolithiasis
renal stones = nephrolithiasis
kidney failure = renal failure
end stage kidney disease = end stage renal disease
artificial kidney = dialysis
bladder infection = urinary tract infection
bladder infections = urinary tract infection
urinary infection = urinary tract infection
urinary infections = urinary tract infection
water infection = urinary tract infection
bed wetting = enuresis
bedwetting = enuresis
bowel cancer = colorectal cancer
colon cancer = colorectal cancer
large bowel = colon
back passage = rectum
piles = haemorrhoids
stomach ache = abdominal pain
stomach pain = abdominal pain
tummy pain = abdominal pain
belly pain = abdominal pain
upset stomach = gastrointestinal symptom
stomach upset = gastrointestinal symptom
gut upset = gastrointestinal symptom
acid reflux = gastroesophageal reflux
food pipe = oesophagus
fatty liver = hepatic steatosis
cirrhosis of the liver = cirrhosis
lockjaw = tetanus
clogged arteries = atherosclerosis
hardening of the arteries = atherosclerosis
blood clot = thrombosis
blood clots = thrombosis
clot in the lung = pulmonary embolism
clots in the lung = pulmonary embolism
clot in the leg = deep vein thrombosis
clots in the leg = deep vein thrombosis
blood count = haematology
white blood cells = leukocyte
white cells = leukocyte
red blood cells = erythrocyte
red cells = erythrocyte
low blood count = anaemia
skin cancer = melanoma
cancer of the cervix = cervical cancer
womb cancer = endometrial cancer
cancer of the womb = endometrial cancer
lining of the womb = endometrium
cancer spread = metastasis
had spread = metastasis
keyhole surgery = laparoscopic surgery
open surgery = laparotomy
hip replacement = hip arthroplasty
knee replacement = knee arthroplasty
joint replacement = arthroplasty
removal of the womb = hysterectomy
womb removal = hysterectomy
removal of the gallbladder = cholecystectomy
gallbladder removal = cholecystectomy
removal of the appendix = appendectomy
breast removal = mastectomy
removal of the breast = mastectomy
gastric bypass = bariatric surgery
weight loss surgery = bariatric surgery
obesity surgery = bariatric surgery
put to sleep = general anaesthesia
spinal block = spinal anaesthesia
into a vein = intravenous
into the vein = intravenous
through a vein = intravenous
by vein = intravenous
by mouth = oral
into a muscle = intramuscular
into the muscle = intramuscular
under the skin = subcutaneous
into the joint = intraarticular
into the eye = intravitreal
after surgery = postoperative
after the operation = postoperative
after an operation = postoperative
after operation = postoperative
before surgery = preoperative
before the operation = preoperative
before birth = prenatal
after birth = postpartum
after delivery = postpartum
after childbirth = postpartum
waters broke = membrane rupture
born early = preterm
born too early = preterm
early birth = preterm birth
early births = preterm birth
premature birth = preterm birth
small at birth = low birth weight
born small = low birth weight
heavy periods = menorrhagia
heavy menstrual bleeding = menorrhagia
painful periods = dysmenorrhoea
period pain = dysmenorrhoea
period pains = dysmenorrhoea
change of life = menopause
hot flushes = vasomotor symptom
hot flashes = vasomotor symptom
birth control = contraception
test tube = in vitro
in the laboratory = in vitro
family doctor = general practitioner
family doctors = general practitioner
primary care doctor = general practitioner
general practice = primary care
family practice = primary care
casualty = emergency department
emergency room = emergency department
critical care = intensive care
care home = nursing home
care homes = nursing home
old people = elderly
old age = elderly
older people = elderly
young people = adolescent
mental illness = psychiatric disorder
mental disorder = psychiatric disorder
talking therapy = psychotherapy
talking treatment = psychotherapy
talking therapies = psychotherapy
learning disability = intellectual disability
learning disabilities = intellectual disability
mental handicap = intellectual disability
thinking skills = cognition
mental decline = cognitive decline
memory loss = amnesia
loss of memory = amnesia
alcohol abuse = alcohol
drug abuse = substance abuse
drug use = substance use
stop smoking = smoking cessation
stopped smoking = smoking cessation
stopping smoking = smoking cessation
gave up smoking = smoking cessation
giving up smoking = smoking cessation
give up smoking = smoking cessation
quit smoking = smoking cessation
quitting smoking = smoking cessation
physical exercise = exercise
physically active = physical activity
keep fit = exercise
painkiller = analgesic
painkillers = analgesic
pain killer = analgesic
pain relief = analgesia
pain killers = analgesic
relief of pain = analgesia
healthy weight = normal weight
lost to follow up = dropout
dropped out = dropout
drop outs = dropout
drop out = dropout
flu shot = influenza vaccination
flu jab = influenza vaccination
flu vaccine = influenza vaccination
whooping cough = pertussis
german measles = rubella
glandular fever = mononucleosis
cold sores = herpes labialis
genital warts = condyloma
head lice = pediculosis
bed sores = pressure ulcer
pressure sores = pressure ulcer
pressure sore = pressure ulcer
pressure injury = pressure ulcer
leg ulcers = venous ulcer
slipped disc = disc herniation
slipped discs = disc herniation
tennis elbow = lateral epicondylitis
frozen shoulder = adhesive capsulitis
heel pain = plantar fasciitis
bunion = hallux valgus
bunions = hallux valgus
wear and tear = osteoarthritis
trapped nerve = nerve entrapment
water on the brain = hydrocephalus
brain bleed = intracranial haemorrhage
brain haemorrhage = intracranial haemorrhage
bleeding in the brain = intracranial haemorrhage
head injury = brain injury
pins and needles = paraesthesia
lazy eye = amblyopia
squint = strabismus
eye pressure = intraocular pressure
pressure in the eye = intraocular pressure
pressure inside the eye = intraocular pressure
magnetic resonance = mri
ct scan = computed tomography
cat scan = computed tomography
heart tracing = electrocardiogram
heart scan = echocardiography
chest film = chest radiograph
chest films = chest radiograph
blood fat = lipid
blood fats = lipid
blood lipids = lipid
body fat = fat
waist size = waist circumference
red meat = meat
fish oil = omega 3
fish oils = omega 3
acetaminophen = paracetamol
adrenaline = epinephrine
noradrenaline = norepinephrine
frusemide = furosemide
salbutamol = albuterol
pethidine = meperidine
lignocaine = lidocaine
ascorbic acid = vitamin c
cholecalciferol = vitamin d
colecalciferol = vitamin d
folate = folic acid
trimethoprim sulfamethoxazole = cotrimoxazole
trimethoprim sulphamethoxazole = cotrimoxazole
ciclosporin = cyclosporine
cyclosporin = cyclosporine
rifampin = rifampicin
glyburide = glibenclamide
aspirin = acetylsalicylic acid
cortisone = corticosteroid
cortisone injection = corticosteroid injection
steroid = corticosteroid
steroids = corticosteroid
water tablets = diuretic
beta blockers = beta blocker
cholesterol lowering drugs = statin
antidepressants = antidepressant
trips to the toilet = micturition
visits to the toilet = micturition
passing urine = micturition
passing water = micturition
leakage of urine = incontinence
second operation = reoperation
another operation = reoperation
operated on again = reoperation
repeat operation = reoperation
operating theatre = operating room
in theatre = operation time
operating time = operation time
sent home = discharge
sending home = discharge
went home = discharge
go home = discharge
going home = discharge
allowed home = discharge
kneecap = patella
collarbone = clavicle
breastbone = sternum
shin bone = tibia
thigh bone = femur
windpipe = trachea
eardrum = tympanic membrane
heart muscle = myocardium
blood vessels = vascular
low platelets = thrombocytopenia
lack platelets = thrombocytopenia
low platelet count = thrombocytopenia
after a meal = postprandial
after meals = postprandial
after eating = postprandial
blood sugar rise = hyperglycaemia
growing old = ageing
pooled analysis = meta analysis
antisickness = antiemetic
cleft lip = orofacial cleft
harelip = cleft lip
club foot = talipes
flat feet = pes planus
flat foot = pes planus
bow legs = genu varum
knock knees = genu valgum
hunchback = kyphosis
curved spine = scoliosis
curvature of the spine = scoliosis
spinal fusion = arthrodesis
joint fusion = arthrodesis
open fracture = compound fracture
growing pains = limb pain
muscle wasting = sarcopenia
loss of muscle = sarcopenia
muscle loss = sarcopenia
muscle pain = myalgia
joint pain = arthralgia
nerve pain = neuropathic pain
phantom pain = phantom limb
ringing in the ears = tinnitus
dry mouth = xerostomia
bad breath = halitosis
wisdom tooth = third molar
wisdom teeth = third molar
milk teeth = deciduous teeth
false teeth = denture
tooth grinding = bruxism
tooth loss = edentulous
without teeth = edentulous
passing stools = defecation
bowel movement = defecation
bowel movements = defecation
loose stools = diarrhoea
blood in the urine = haematuria
protein in the urine = proteinuria
sugar in the urine = glycosuria
frequent urination = urinary frequency
getting up at night = nocturia
enlarged prostate = prostatic hyperplasia
undescended testicle = cryptorchidism
undescended testes = cryptorchidism
ectopic pregnancy = tubal pregnancy
morning sickness = hyperemesis
pregnancy poisoning = preeclampsia
water retention = oedema
swollen legs = leg oedema
swollen arm = lymphoedema
varicose veins = varicose vein
poor circulation = peripheral arterial disease
hole in the heart = septal defect
heart rhythm = arrhythmia
heart beat = heart rate
weak heart = heart failure
enlarged heart = cardiomegaly
high cholesterol = hypercholesterolaemia
raised cholesterol = hypercholesterolaemia
bad cholesterol = ldl cholesterol
good cholesterol = hdl cholesterol
under weight = underweight
panic attacks = panic disorder
panic attack = panic disorder
manic depression = bipolar disorder
split personality = dissociative disorder
self harm = self injury
harm themselves = self injury
harmed themselves = self injury
killed themselves = suicide
kill themselves = suicide
take their own lives = suicide
took their own lives = suicide
taking their own life = suicide
hearing voices = hallucination
hears voices = hallucination
stammer = stuttering
learning to read = literacy
reading difficulty = dyslexia
reading difficulties = dyslexia
overactive child = hyperactivity
overactive thyroid = hyperthyroidism
underactive thyroid = hypothyroidism
thyroid removal = thyroidectomy
lack of iron = iron deficiency
lack of vitamin d = vitamin d deficiency
lack of sleep = sleep deprivation
sleep loss = sleep deprivation
lack of oxygen = hypoxia
too little oxygen = hypoxia
oxygen level = oxygen saturation
oxygen levels = oxygen saturation
blue skin = cyanosis
yellow skin = jaundice
stuck in hospital = prolonged hospital stay
readmitted to hospital = readmission
back in hospital = readmission
returned to hospital = readmission
came back to hospital = readmission
died in hospital = hospital mortality
dying in hospital = hospital mortality
cause of death = mortality
causes of death = mortality
death rate = mortality
death rates = mortality
risk of dying = mortality
chance of dying = mortality
chance of death = mortality
likelihood of dying = mortality
risk of death = mortality
survival rate = survival
how common = prevalence
how often = frequency
blood pressure pills = antihypertensive
arterial blood = arterial
end of a breath = end tidal
unable to sleep = insomnia
cannot sleep = insomnia
damaged spinal cord = spinal cord injury
placebo pill = placebo
sugar pill = placebo
dummy pill = placebo
bile duct cancer = cholangiocarcinoma
cancer of the bile duct = cholangiocarcinoma
within the liver = intrahepatic
inside the liver = intrahepatic
outside the liver = extrahepatic
liver resection = hepatectomy
kidney removal = nephrectomy
removal of the kidney = nephrectomy
removal of the prostate = prostatectomy
removal of the spleen = splenectomy
without a stomach = gastrectomy
stomach removal = gastrectomy
removal of the stomach = gastrectomy
removal of the thyroid = thyroidectomy
removal of the ovaries = oophorectomy
removal of the uterus = hysterectomy
removal of the colon = colectomy
removal of the tonsils = tonsillectomy
chest tube = thoracostomy
breathing tube = endotracheal tube
feeding tube = nasogastric tube
loss of bone = bone loss
hardened arteries = atherosclerosis
stopped breathing = apnoea
pauses in breathing = apnoea
school age = school
anti sickness = antiemetic
laughing gas = nitrous oxide
"""
"""A phrase of everyday English and the words of articles that it is read as: "phrase = words"."""
