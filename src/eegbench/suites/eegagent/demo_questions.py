"""Questions of our own for the demo, written from textbook knowledge.

The right option stands first; the builder shuffles. They are easy on purpose: they
show the task, they do not measure anybody.
"""

QUESTIONS: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    (
        "Which rhythm prevails over the occipital regions of a healthy adult who is "
        "awake with eyes closed?",
        ("alpha, 8 to 13 Hz", "beta, 13 to 30 Hz", "theta, 4 to 8 Hz", "delta"),
    ),
    (
        "Generalised spike-and-wave discharges at 3 Hz during a short lapse of "
        "awareness in a school child are typical of which seizure?",
        (
            "absence seizure",
            "focal seizure of the temporal lobe",
            "myoclonic seizure",
            "tonic seizure",
        ),
    ),
    (
        "Sleep spindles and K complexes mark which stage of sleep?",
        ("N2", "N1", "REM", "quiet wakefulness"),
    ),
    (
        "A chaotic pattern of high voltage with multifocal spikes (hypsarrhythmia) "
        "belongs to which condition?",
        (
            "infantile spasms",
            "juvenile myoclonic epilepsy",
            "febrile seizures",
            "benign Rolandic epilepsy",
        ),
    ),
    (
        "Triphasic waves over both frontal regions of a drowsy patient suggest first "
        "of all what?",
        (
            "metabolic encephalopathy, such as in liver failure",
            "migraine with aura",
            "narcolepsy",
            "multiple sclerosis",
        ),
    ),
    (
        "In which stage of sleep is the tone of the chin muscles lowest?",
        ("REM", "N1", "N2", "N3"),
    ),
    (
        "At which electrodes is the deflection of an eye blink largest?",
        ("Fp1 and Fp2", "O1 and O2", "P3 and P4", "C3 and C4"),
    ),
    (
        "What does the EEG of Alzheimer's disease show at rest, compared with that of "
        "healthy people of the same age?",
        (
            "more theta and a slower alpha rhythm",
            "less theta and a faster alpha rhythm",
            "spindles while awake",
            "spike-and-wave discharges at 3 Hz",
        ),
    ),
)
"""Question and its four options, the right one first."""
