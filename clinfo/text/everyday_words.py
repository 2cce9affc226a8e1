"""Words of everyday English that name no thing of medicine: who rewords a finding brings some of them along.

That a source lacks "gave", "countryside" or "likelier" says little of whether it carries a sentence; that it lacks "warfarin" says
much. Data for `clinfo.text.claim_words`, written down from the language; nouns of medicine, of people and of places of care
are left out on purpose.
"""

from __future__ import annotations

EVERYDAY = """
able abroad accept accepted accepting accompanied accompany according accordingly account accounted accounts achieve achieved
achieving act acted acting acts actual adapt adapted add addition address addressed adept adjust adjusted adjusting adjustment
advance advanced adverb afford afraid African afterward afterwards aged agree agreed ahead aid aided aids aim aimed alike alive
allow allowed allowing allows alongside already alter altered alternative altogether American amid amongst amount ample annoyed
anyone anyway apart apparent apparently appear appeared appearing appears applied apply applying arise arising arose arrange
arranged arrival arrive arrived Asian aside ask asked asking aspect assert assign assigned assume assumed attach attached
attempt attempts attend attended attending attitude attract attracted Australian average averaged avert await awaiting awaits
awake away awful bad badly bare barely base basic basically basis bear bearing beat beaten became become becomes becoming
beforehand beginning behave behind believe believed belong belonged belonging belongs beneath beside besides bet bets big bigger
biggest bit blame block blunted boast body boost boosting boosts border borderline bore borne bother bothered bottom bought
bounce bound brave Brazilian breach bridge brief briefly brighter bring bringing brings brisk British broad broadly broke
brought build built bulk bunch burden buy bypass calculated call called calling calls calm calmer came Canadian cancel careful
carefully carried carries carry carrying catch cater caught cause caused cease ceased century certain certainly chance change
changing character charge chase cheap cheat check checked checking checks cheerful cherish chief chiefly Chinese choose chosen
circumstances claim claimed class clear clearer clearly cleverer climb climbed cling close closely closer closest clumsy
coincided colleague colleagues collect collected collecting combat combine come comes coming command commit common commoner
commonplace compare comparing comparison compel compete complain complained complete completed completely completing completion
comply component composed conceal concede concern concerned concerning concerns conclude concluding conduct conducted confess
confine confined confirm confirmed confirming confirms confuse conquer consequence consequently consider considerable
considerably considered consist consisted consistent consistently constant construct contain contained contains contend
contender contest context continue continued continues continuing contrary contrast convenient conventional converse conversely
convey convince convinced cope coping core correct corrected correctly correspond corresponding cosy count counted counter
countered counterpart counterparts counts couple course cover covered crave create created credit cross crucial crude crumble
curb curbed curious cut cutting damage dampen dampened Danish dare darker dash daunting dawn deal dealt debate decade decades
decent decide decided decisive declare dedicate deemed deep deeper deeply defer define defined definite definitely degree
deliberate delicate delight deliver demand demonstrate demonstrated demonstrates denied denser deny depart departed depend
depends depict deprive derive derived descend describe described deserve deserves design designed desire desired despite detach
detail detailed deter deviate devote devoted differentiate differing difficult difficulties difficulty dilute dip dipped direct
directly disappear disappeared disappears discard discern disclosed discover discovered discuss discussed dismal dismiss
disparity dispel display displayed disprove dispute dissolve distinct distinguish distinguished distort disturb divide divided
dodge dominate dose double doubt doubtful downside downward dozen draw drawback drawbacks drawn dread drift dropped due duller
duplicate Dutch dwarf dwindle dwindled eager eagerly earn ease eased easier easiest easily easy echo edge effort efforts
Egyptian eight eighth either elaborate elapse elapsed elicit eliminated elsewhere embark embrace emerge emerged emerging employ
enable enabled encounter encountered encourage encouraged encouraging end ended ending ends endure engage engaged English enjoy
enjoyed enlarge enormous enrich ensure ensured entail enter entered entering entire entirely entitle entrust envisage equal
equally equip equivalent erase erode err erred escape escaped especially essential essentially established estimate estimated
European evade even evenly event events eventual eventually everybody everyone everything everywhere evident evoke evolve
exactly exaggerate example exceed exceeded excel except exception exceptions exclude excluded exclusively exert exerted exhaust
exhibit exhibited exist existed existing expect expectation expectations expected experience experienced experiences expire
explain explained explaining explains explanation exploit explore expose exposed extend extended extent extra extreme extremely
face faced facilitate facing fact factor fade faded fail fair fairly falter familiar fancy fare fared fares fasten fate favour
favoured favours feasible feat feature features feel feeling feelings feels fellow felt ferry fetch fewer fewest fiddly fierce
fifth figure figures fill filled final find finding fine finish finished Finnish firm firmer firmly fit fitted fixed flag flare
flat flatten flattened flee float flock flood flourish focus focused follow followed following follows force forced fore
foremost forget forgot forgotten form formed former forms foster found fourth fraction frame free freed freely French frequent
fresh front fuel fulfil fulfilled full fully fun function further gain gained gamble gap gaps gather gathered gauge gave general
generally generate generated gentle gently genuine genuinely German get gets getting give given gives giving glance glean go
goal goals goes going gone good got gradual gradually grant granted grasp great greatly Greek grew grip group grouped groups
grow growing grown grumble guarantee guard guarded guess guessed guessing half halt halted hamper hampered hand handed handful
handle handled handy hang haphazard happen happened happening happens happier hard harder hardly harmless harsher harvest haste
hasten hastened hasty heavier heaviest heed held help helped helpful helping helpless helps hence herself hesitate hidden hide
highlight highlighted highly himself hinder hindered hindrance hinge hint hinted hints hire hit hoist hold holding holds hollow
honest hope hoped huge humble hurdle hurry hurt idea ideal identical idle ignite ignore ignored ill illustrate imagine imbalance
immediate impact impair impede implement implemented implied implies imply importance important importantly impose improbable
inch incline inclined include included includes including incur indeed independent Indian indicate indicated indicates
indicating individual indulge influence inform informed inhabit initial initially inside insist inspect inspire install instance
instances instead intact intend intended intent intention interest interested interesting intermediate interpret interval
intervene introduce introduced introducing invade invent invest invite invited involve involved involves involving Iranian Irish
Israeli issue issues Italian item items itself Japanese jeopardise join joined joining judge judged judging jump just keen keep
keeping keeps kept key kind kinds knew knock know knowing known Korean lack lacked lag lagged laid land large largely larger
largest last lasting late later latest latter lavish lax lay lead leading leads lean leaner leap learn least leave leaves
leaving led left lend length lessen lesser let lets level lie lies lift lifted light lighter lightest like liked likelier
likeliest likelihood likely likeness likewise limit limited limiting limits line linger lingered link linked linking list listed
little live lived lives living local locally lone long look looked looking looks loom loosen looser lose loses losing lost lot
loud louder loudest low lower main mainly maintain maintained maintaining maintains major majority make maker making manage
managed manages managing manner many margin marginal marginally mark marked markedly marker match matched matching matter
mattered matters mean meaning means meant meanwhile meet meeting meets mend mention mere merely merge merit message messy met
method Mexican middle midway mild milder mildest mimic mind minor minority minus minute mirror mirrored miscount mishandle
misjudge misjudged miss missed missing mistake mistaken mistakes mistook mix mixed mixture moderate modest modestly moment
moreover most mount mounted move moved moving much multiple multiply name named namely narrow narrower narrowly natural
naturally nature near nearer nearest nearly neat necessarily necessary need needing needs neglect negligible neither net new
newer newly next Nigerian nimble nine ninth nobody norm Norwegian notable notably noted noteworthy nothing notice noticeable
noticeably noticed noting notion novel nudge nuisance number numbers numerous obey object obscure observe observed observer
obstacle obstruct obtain obtained obtaining obvious obviously occasion occasional occasionally occasions odd odds offer offered
offering offers offset oldest omit omitted ones oneself ongoing onset oppose opposed opposite opted option options order ordered
ordinary origin originally originate otherwise ourselves outcome outdid outdo outlast outlive outlived outlook outnumber outpace
output outrank outright outset outshine outside outstrip outstripped outweigh outweighed outweighs overall overcome overlap
overlook overlooked overrate oversaw oversee overshadow overstate overtake overtook overturn overturned overwhelm owe owed owing
own owned pace paid pair paired pairs Pakistani paltry parallel part partial partially particular particularly partly parts pass
passed passes passing past patchy pattern pay payoff peak peaked peel peer peers people perceive perform performed performing
perhaps period periods perish permit permitted persist persisted persists person persons pick picked pinpoint pitfall place
placed places placing plague plain plainly plan planned plausible play played plays plead pleasant pledge plentiful plenty
plight plot plummet plunge plus point pointed points Polish ponder pool pooled poor poorer portion portray Portuguese pose
possess possible possibly postpone postponed potential potentially pour practical practically precede precise precisely preclude
predominant predominantly prefer preferable preferably preferred prefers premise prerequisite presence present presented
presenting presents preserve preserved presumably presume pretty prevail previous price pride primarily primary prime principal
principally prior probably problem problematic problems proceed proceeded process proclaim produce produced produces producing
profit progress prohibit prolong promise promising promote prompt prompted prompts prone proof proper properly proportional
proportionate propose proposed prospect protect protected protecting protects prove proved proven proves provide provided
provides providing provoke provoked pull pulled punctual purely purpose pursue push pushed put puts putting quarter quell
question questions quicken quickest quieter quirk quit quite quoted ragged raise raising rampant ran range ranged ranging rank
ranked rapid rare rarely rarer rate rated rates rather ratio reach reached reaches reaching react read ready real really reap
reason reasonable reasonably reasons reassure reassured rebound receive received receives receiving recent recently reckon
reckoned reclaim recommend recommended reconcile record recorded records recount recover rectify redeem redo redress refine
reflect reflected reflecting reflects refrain refuse refused refute regain regained regard regarded regarding regardless regular
regularly reinforce rejoin related relation relative relatively relax relay release released relevant reliable reliance relied
relieve relieved relinquish reluctant rely remain remainder remained remaining remains remarkable remarkably remedy remember
remembered remind remote render rendered repay repel replace report reporting repress require requires requiring rescue rescued
resemble resembled resent reserve reshape reside resist resolve resolved resort resorted respect respective respectively respond
responded rest restore restored restrict restricted result resulted resulting results resume resumed retain retained retreat
return returned returning reveal revealed revealing reveals reverse reversed revert revise revive reward richer richest rid rife
right rigid rinse rise rising rival robust role roll room rose rotate rough rougher roughly round rouse routine routinely ruin
rule ruled run running runs rush safer salvage same sank save saved saves saving savings saw say saying says scale scant scarce
scarcely scarcer scatter scattered scope score scored scores Scottish seal search searched second secure secured see seeing seek
seem seemed seeming seemingly seems seen seize select selected sell sense sensible sensitive sent separate separated separately
sequence serve served serves set setback sets setting settle settled seven seventh several shallow shape shaped share sharp
sharper sharply shatter shed sheer shelter shield shielded shift shifted shifts short shortcoming shorten shorter shortfall
shortly shot shove show showed showing shown shows shrank shrink shrug side sides sign signal significance signs similar
similarly simple simpler simply single sink sit situation situations six sixth size sizeable skip skipped slack slash slashed
slide slip slipped slope sluggish small smaller smallest smart smooth smoother soak soar soared sober soften softened softer
sole solely solicit solid solve someone somewhat soon sooner soothe soothed sort sought sound source space spacious Spanish
spare spared spark sparse sparser speak special specific specifically spell spill spin split spoil spoke spot spread spring spur
spurred stable stack stagnate stake stall stalled stand standard standing stands stark start starve state stated states stay
stayed staying stays steadily steady steal steep steeper steer stem step stepped steps stick still stir stood stop stopping
store stored straight strange strengthen strengthened stretch stretched strict strictly strike striking strikingly strip strive
stronger strongest strongly struck struggle struggled stubborn stuck study stumble stumbled sturdy style subdue subject
subsequent subsequently subside subsided substantial substantially substitute subtle succeed succeeded success such suddenly
suffice sufficient sufficiently suggest suggested suggesting suggestion suggests suit suitable suited sum summary summon
superior supply support supported supporting supports suppose sure surge surged surmise surpass surplus surprising surprisingly
surrender surround surrounding suspect suspected suspend sustain sustained swap swapped sway swayed Swedish sweep swell swing
Swiss switch switched tackle tail Taiwanese take taken takes taking taller tallied tally tame tap taper tapered task tease
tedious tell telling tells tempered tempt ten tend tended tendency tending tends tentative tenth tepid term terms Thai
themselves thereafter thereby thicker thin thing things think thinking thinner third thorough thought thousand thousands
threefold threshold thrive throughout throw thrown thus thwart tick tide tie tied ties tight tighter tightly tilt time times
timid tiny tip together toil token told tolerable toll took top topped topple toss total totally touch tougher tow toward trace
traced track tracked trade trade-off trail trailed transfer transferred transient tread treble trebled trend trends tricky tried
trigger triggered trim triple tripled trivial trouble troubled true truly truncate trusty try trying tug Turkish turn turned
turning turns twice twist twofold type typical typically ultimate ultimately unable unaffected unaware unchanged unclear
uncommon undercut undergo undergoing undergone underlie underline underlying undermine undermined underrate understand
understood undertake underwent undo undone unequal uneven unexpected unexpectedly unfold unfortunately uniform unique unit unite
unlike unlikely unlock unnoticed unpleasant unravel untangle untouched unusual unusually unveil upheld uphold upset upside
upward usage use useless user users usher usual usually utilise utilised utilize utilized utter vague valuable value vanish
vanished varied varies variety various vary varying vast vent venture verdict verify version view viewed views vindicate
virtually visible visit vital vivid vouch wait waited waiting waive wake walked wander want wanted wanting wants warn warned
warrant warranted warrants wary waste wasteful watched waver way ways weak weaken weakened weakly weakness wear wearing weary
weed weigh weighed weighted went whatever whenever whereas whereby wherever whichever whole wholesome wholly wide widely wider
widespread wield willing willingness win wipe wise wiser wish wished wishing wither withheld withhold withstand wobbly won
wonder word words wore work worked working works world worn worry worse worsened worst worth worthwhile wrong yardstick yield
yielded yields young younger youngest zero
"""
