"""Textbook facts on EEG as pairs of what a question names and what goes with it.

General knowledge, written without any question of a benchmark at hand. Sources: the
chapters on EEG, sleep and epilepsy of Niedermeyer's Electroencephalography, Ganong's
Review of Medical Physiology, Harrison's Principles of Internal Medicine, Kaplan and
Sadock's Synopsis of Psychiatry, Miller's Anesthesia, and the AASM manual. Patterns are
regular expressions on lower-case text; ``about`` and ``fact`` go both ways: whichever
stands in the question, the other is looked for in the options.
"""

from typing import NamedTuple


class Fact(NamedTuple):
    """Two patterns that belong together, and how surely."""

    about: str
    fact: str
    weight: float = 1.0


_ABSENCE = r"absence|petit ?mal"
_SLEEP2 = r"stage (?:2|ii)\b|n2\b|nrem (?:2|ii)"
_DEEP = r"stage (?:3|4|iii|iv)|n3\b|deep sleep|slow[- ]wave sleep|nrem (?:3|4|iii|iv)"
_REM = r"\brem\b|rapid eye|paradoxical sleep"
_NREM = r"\bnrem|non[- ]?rem|slow[- ]wave sleep"
_JME = r"juvenile myoclonic|\bjme\b|janz"
_LGS = r"lennox|gastaut"
_WEST = r"west'?s? syndrome|infantile spasm|salaam"
_CJD = r"creutzfeld|\bcjd\b|prion"
_SSPE = r"\bsspe\b|subacute scl?erosing|dawson"
_HSV = r"herpes|\bhsv\b"
_LIVER = r"hepatic|liver|metabolic enceph|uremi|uraemi"
_ROLANDIC = r"rolandic|centro-?temporal|\bbects\b|benign (?:childhood )?epilepsy"
_DEATH = r"brain death|brain dead|brain-stem death|brainstem death"

FACTS = (
    # rhythms
    Fact(r"alpha (?:wave|rhythm|activity)|\balpha\b", r"8 ?(?:-|to) ?1[234]|8-13"),
    Fact(r"\balpha\b", r"eyes? clos|relax|awake.*(?:rest|quiet)|resting|occipit", 1.2),
    Fact(r"alpha.*(?:block|desynchron|replac|disappear)", r"open|attention|alert|beta"),
    Fact(r"eyes? open|attention|mental (?:work|arith)|alert", r"\bbeta\b|desynchron"),
    Fact(r"\bbeta\b", r"13 ?(?:-|to) ?(?:30|35)|1[3-8] ?(?:-|to) ?30|alert|frontal"),
    Fact(r"\btheta\b", r"4 ?(?:-|to) ?[78]|child|hippocamp|drows|stage 1", 1.0),
    Fact(r"\bdelta\b", r"0?\.?5 ?(?:-|to) ?[34]|< ?4|less than 4|deep sleep|stage 4"),
    Fact(r"\bdelta\b", _DEEP, 1.2),
    Fact(r"\bgamma\b", r"30 ?(?:-|to) ?[5-9]0|40 ?hz|binding|attention"),
    Fact(r"\bmu\b rhythm|\bmu\b wave", r"central|motor|rolandic|movement"),
    Fact(
        r"(?:highest|largest|maximum) amplitude|lowest frequency|slowest",
        r"\bdelta\b",
    ),
    Fact(
        r"(?:highest|fastest) frequency|lowest (?:amplitude|voltage)",
        r"\bbeta|gamma",
    ),
    Fact(r"normal adult.*(?:awake|wake|rest)|awake.*eyes closed", r"\balpha\b", 1.3),
    Fact(r"infant|newborn|neonat|child", r"\btheta\b|\bdelta\b|slow", 0.4),
    Fact(r"berger|discover|first (?:record|human|describ)", r"berger|hans", 1.5),
    # origin and technique
    Fact(
        r"eeg.*(?:due to|generat|origin|represent|produc|record|source|reflect)",
        r"post[- ]?synaptic|dendrit|pyramidal|epsp|synaptic potential",
        1.3,
    ),
    Fact(r"synchroni[sz]|rhythm.*(?:generat|pacemaker)", r"thalam", 1.0),
    Fact(r"desynchroni|arousal", r"reticular|activating system|locus|beta", 1.0),
    Fact(
        r"electrode.*(?:system|plac)|international system|10[- ]20",
        r"10[- /]20|nasion",
    ),
    Fact(r"filter|artifact|artefact", r"muscle|blink|electrode|50 ?hz|60 ?hz", 0.4),
    Fact(r"temporal resolution|millisecond", r"\beeg|\bmeg|electroenceph|evoked", 1.2),
    Fact(r"spatial resolution", r"\bfmri|\bmri|\bpet", 0.8),
    Fact(r"magnetoenceph|\bmeg\b", r"magnetic|tangential|sulc", 1.0),
    # sleep
    Fact(_SLEEP2, r"spindle|k[- ]?complex|sigma", 1.8),
    Fact(r"spindle|k[- ]?complex", _SLEEP2, 1.8),
    Fact(r"spindle", r"12 ?(?:-|to) ?1[456]|11 ?(?:-|to) ?16|thalam|reticular", 1.0),
    Fact(r"spindle|k[- ]?complex|delta wave", _NREM, 0.8),
    Fact(_DEEP, r"\bdelta\b|high (?:amplitude|voltage)|slow wave", 1.4),
    Fact(
        r"stage (?:1|i)\b|n1\b|drows|light sleep|sleep onset",
        r"\btheta\b|vertex|alpha",
    ),
    Fact(r"vertex (?:sharp )?wave", r"stage (?:1|i)\b|n1\b", 1.2),
    Fact(
        _REM,
        r"saw[- ]?tooth|low[- ]voltage|desynchron|\bbeta\b|mixed|dream|pgo|ponto|aton"
        r"|penile|erection|paraly|hypoton|irregular",
        1.3,
    ),
    Fact(r"saw[- ]?tooth|pgo|ponto-?geniculo", _REM, 1.5),
    Fact(r"dream|nightmare|penile|erection|aton", _REM, 1.2),
    Fact(
        r"(?:night|sleep) terror|pavor|sleep ?walk|somnambul|enuresis|bed ?wetting",
        _DEEP + "|" + _NREM,
        1.5,
    ),
    Fact(r"bruxism|teeth grinding", r"stage (?:1|2|i|ii)\b|n2\b", 1.0),
    Fact(r"sleep talking|somniloquy", _NREM, 0.6),
    Fact(
        r"narcolep|cataplex",
        r"sleep[- ]onset rem|\brem\b|hypocretin|orexin|latency",
        1.5,
    ),
    Fact(r"sleep onset rem|soremp|multiple sleep latency|\bmslt\b", r"narcolep", 1.5),
    Fact(r"depress", r"(?:short|decreas|reduc).*rem latency|rem latency", 1.2),
    Fact(
        r"(?:elder|old age|aging|ageing)",
        r"(?:decreas|less|reduc).*(?:delta|stage 4|slow)",
    ),
    Fact(r"polysomno", r"\beeg|eog|emg|sleep apn", 1.0),
    Fact(r"first (?:third|half) of (?:the )?night|early (?:part of )?night", _DEEP),
    Fact(r"last third|early morning|second half of (?:the )?night", _REM),
    Fact(r"benzodiazepin|diazepam|barbitur", r"\bbeta\b|fast activity|spindle", 1.2),
    # epilepsy
    Fact(
        _ABSENCE,
        r"\b3 ?(?:hz|/ ?s|cps|cycle|per sec|c/s)|three (?:hz|per)|3[- ]per",
        1.8,
    ),
    Fact(r"\b3 ?(?:hz|/ ?sec|cps|cycle|per sec|c/s)", _ABSENCE, 1.8),
    Fact(r"spike[- ](?:and[- ])?(?:slow[- ])?wave|spike and dome", _ABSENCE, 0.8),
    Fact(
        _ABSENCE,
        r"hyperventil|spike[- ](?:and[- ])?(?:slow[- ])?wave|spike and dome",
        1.0,
    ),
    Fact(_ABSENCE, r"ethosux|valpro|generali[sz]ed|no post-?ictal|brief", 0.7),
    Fact(r"hypsar+h?yth?mia", _WEST, 2.0),
    Fact(_WEST, r"hypsar+h?yth?mia|acth|vigabatrin|chaotic", 2.0),
    Fact(_LGS, r"slow spike|(?:1|1\.5|2|2\.5) ?(?:-|to) ?2\.?5|< ?2\.5|multiple", 1.8),
    Fact(r"slow spike[- ](?:and[- ])?wave|(?:2|2\.5) ?hz spike", _LGS, 1.8),
    Fact(_JME, r"poly-?spike|4 ?(?:-|to) ?6|photosens|valpro|morning|awaken", 1.6),
    Fact(r"poly-?spike|4 ?(?:-|to) ?6 ?hz|multiple spike", _JME + "|myoclon", 1.6),
    Fact(_ROLANDIC, r"centro-?temporal|nocturnal|sleep|good prognosis", 1.4),
    Fact(r"centro-?temporal spike", _ROLANDIC, 1.8),
    Fact(
        r"landau|kleffner|acquired (?:epileptic )?aphasia",
        r"sleep|\beses|aphasia|csws",
        1.4,
    ),
    Fact(
        r"continuous spike|\beses\b|electrical status.*sleep",
        r"landau|kleffner",
        1.4,
    ),
    Fact(r"ohtahara", r"burst[- ]suppress|suppression[- ]burst", 1.8),
    Fact(
        r"temporal lobe|complex partial|mesial|psychomotor",
        r"temporal|aura|automatism",
        0.9,
    ),
    Fact(r"panayiotop|occipital epilep", r"occipital", 1.0),
    Fact(r"angelman", r"notched|delta|high[- ]amplitude", 1.2),
    Fact(r"photic|photosens|flicker", r"myoclon|\bjme\b|activat|generali[sz]ed", 0.9),
    Fact(
        r"activat.*(?:eeg|seizure|procedure)|provoc",
        r"hyperventil|photic|sleep depriv",
        1.2,
    ),
    Fact(r"hyperventil", _ABSENCE + r"|slow|alkalosis|vasoconstr", 0.9),
    Fact(
        r"pseudo-?seizure|psychogenic|dissociat|hysteri|non-?epileptic",
        r"normal|video",
        1.2,
    ),
    Fact(
        r"video[- ]?eeg|gold standard.*(?:seizure|epilep)",
        r"pseudo|psychogenic|video",
        1.0,
    ),
    Fact(
        r"investigat.*(?:epilep|seizure|convuls)|diagnos.*(?:epilep|seizure)",
        r"\beeg",
        0.9,
    ),
    Fact(r"non-?convulsive status", r"\beeg|electroenceph", 1.4),
    Fact(
        r"febrile (?:seizure|convuls)",
        r"normal|not (?:need|indicat|required)|no eeg",
        0.9,
    ),
    Fact(
        r"generali[sz]ed tonic[- ]clonic|grand ?mal",
        r"spike|10 ?hz|fast|post-?ictal slow",
        0.7,
    ),
    Fact(r"inter-?ictal", r"spike|sharp", 0.8),
    Fact(r"neonat.*seizure", r"phenobarb|subtle|video|\beeg", 0.5),
    # encephalopathy
    Fact(r"tri-?phasic", _LIVER, 1.8),
    Fact(_LIVER, r"tri-?phasic|slow|\bdelta\b|symmetrical|high[- ]voltage", 1.5),
    Fact(_CJD, r"periodic|1 ?hz|bi-?phasic|tri-?phasic|sharp wave|14-3-3", 1.5),
    Fact(r"periodic (?:sharp|bi-?phasic|tri-?phasic|complex)", _CJD + "|" + _SSPE, 1.4),
    Fact(
        _SSPE,
        r"periodic|radermecker|burst|4 ?(?:-|to) ?1[05]|high[- ]voltage|measles",
        1.6,
    ),
    Fact(r"radermecker|periodic (?:high|slow|complex|burst)", _SSPE, 1.6),
    Fact(_HSV, r"temporal|\bpleds?\b|periodic lateral|lateralised|lateralized", 1.6),
    Fact(r"\bpleds?\b|periodic lateral", _HSV + "|acute|stroke|destruct", 1.6),
    Fact(
        r"burst[- ]suppress",
        r"anaesth|anesth|coma|barbit|thiopent|hypoxi|hypotherm|anoxi",
    ),
    Fact(r"nmda|limbic enceph", r"delta brush|temporal|slow", 1.6),
    Fact(r"delta brush", r"nmda|preterm|prematur", 1.6),
    Fact(r"deliri", r"slow|\btheta\b|\bdelta\b|diffuse", 1.4),
    Fact(r"diffuse slow|generali[sz]ed slow", r"deliri|enceph|metabolic|coma", 1.2),
    Fact(r"delirium tremens|alcohol withdraw", r"fast|low[- ]voltage|\bbeta", 1.2),
    Fact(r"alzheimer|dementia", r"slow|\btheta\b|(?:decreas|reduc).*alpha", 1.0),
    Fact(r"huntington", r"low[- ](?:voltage|amplitude)|flat", 1.5),
    Fact(
        _DEATH,
        r"isoelectric|flat|electro-?cerebral (?:silence|inactiv)|absent|silent",
        1.6,
    ),
    Fact(
        r"isoelectric|flat eeg|electro-?cerebral silence",
        _DEATH + "|barbit|hypotherm",
        1.4,
    ),
    Fact(r"alpha coma", r"pontine|brain ?stem|anoxi|poor prognosis", 1.2),
    Fact(r"locked[- ]in", r"normal|alpha|preserved", 1.3),
    Fact(r"hypoglyc[ae]*mi|hypothermi|hypothyroid|myx", r"slow|\bdelta\b|decreas", 0.9),
    Fact(
        r"brain tumou?r|abscess|focal lesion|infarct|stroke",
        r"focal|\bdelta\b|slow",
        1.0,
    ),
    Fact(r"subdural", r"low[- ]voltage|suppress|attenuat|decreas", 0.9),
    Fact(r"migraine", r"normal|slow", 0.4),
    Fact(r"autis|rett|adhd", r"\beeg|epilep|theta|abnormal", 0.4),
    # drugs, anaesthesia, monitoring
    Fact(
        r"enflurane|methohexit|sevoflurane|etomidate",
        r"seizure|spike|epilept|convuls",
        1.4,
    ),
    Fact(
        r"(?:seizure|epilept|convuls|spike).*(?:anaesth|anesth|agent|inhal)",
        r"enflurane"
        r"|methohexit|sevoflurane",
        1.4,
    ),
    Fact(
        r"isoflurane|thiopent|barbitur|propofol|desflurane",
        r"burst|isoelectric|suppress",
    ),
    Fact(r"ketamine", r"theta|epilep|\bbeta|no burst|contra|increase", 0.8),
    Fact(
        r"bispectral|\bbis\b|entropy",
        r"depth|anaesth|anesth|40 ?(?:-|to) ?60|awareness",
        1.6,
    ),
    Fact(r"depth of an|awareness", r"\bbis\b|bispectral|\beeg|entropy|evoked", 1.3),
    Fact(
        r"carotid endarter|cardiac (?:surg|bypass)|cerebral isch",
        r"\beeg|electroenceph",
        1.0,
    ),
    Fact(r"cerebral blood flow", r"1[58] ?ml|20 ?ml|\beeg", 0.7),
    Fact(r"evoked potential", r"brain ?stem|least (?:affect|sensitive)|average", 0.6),
    Fact(r"\bect\b|electroconvuls", r"seizure|\beeg|slow|25 ?sec|generali[sz]ed", 0.9),
    Fact(r"clozapin|antipsychot|lithium", r"slow|seizure|spike|\bdelta|theta", 0.8),
    Fact(r"antidepress|tricyclic", r"rem (?:suppress|sleep)|decreas.*rem|seizure", 0.7),
    Fact(r"hypoxi|anoxi", r"slow|\bdelta\b|suppress|burst", 0.8),
)

WRONG_SOUNDING = r"\ball\b.*above|none of|any of"
NEGATIONS = (
    r"\bexcept\b|\bnot\b(?! uncommon)|\bfalse\b|\bleast\b|\bincorrect\b|\bunlikely\b"
    r"|\bnever\b|\bisn'?t\b|\buntrue\b"
)
