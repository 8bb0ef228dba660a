"""Every number of the simulator, with the publication that it follows.

The publications give the order of magnitude (a frequency, an amplitude range, a
duration, a share of the night). Where they give none the value is ours and the
comment says "chosen".
"""

from types import MappingProxyType
from typing import NamedTuple

# --- a night -----------------------------------------------------------------
# Stage rules, spindle, K complex, slow wave, eye movement: AASM manual (Iber et al.
# 2007); channels and the 1-Hz EMG: Sleep-EDF (Kemp et al. 2000, IEEE TBME 47:1185).
STAGES = ("W", "N1", "N2", "N3", "REM")
EPOCH_SEC = 30.0
# Shares by age, minutes of a cycle, wake after sleep onset: Ohayon et al. 2004,
# Sleep 27:1255; REM lengthens and N3 shrinks by cycle: Carskadon and Dement,
# "Normal human sleep", Principles and Practice of Sleep Medicine.
SLEEP_SEC = (6.2 * 3600, 8.2 * 3600)
CYCLE_SEC = (80 * 60, 110 * 60)
N3_SHARE_BY_CYCLE = (0.45, 0.32, 0.14, 0.05, 0.0, 0.0, 0.0, 0.0)
REM_SHARE_BY_CYCLE = (0.08, 0.18, 0.26, 0.32, 0.34, 0.34, 0.34, 0.34)
N3_LOSS_PER_YEAR = 0.008  # Ohayon 2004: slow-wave sleep falls over adult life
N1_MINUTES = (1.0, 5.0)
AWAKENINGS_PER_HOUR = (
    1.0,
    4.0,
)  # Bonnet and Arand 2007 (arousal norms), full awakenings
AWAKENING_EPOCHS = (1, 8)
# RMS in uV of (aperiodic, delta, theta, alpha, beta) at Fpz-Cz and Pz-Oz by state.
# Aperiodic slope steepens from wake to N3: Lendner et al. 2020, eLife 9:e55092.
# Slow waves above 75 uV in N3: AASM. Occipital alpha, gone in N1: Rechtschaffen
# and Kales 1968. REM near N1, low voltage: AASM. Amplitudes at these derivations
# follow Mourtazaev et al. 1995, Sleep 18:557.
BACKGROUND_EXPONENT = 1.7  # 1 to 45 Hz, between wake and N3: Miskovic et al. 2019
STATE_RMS_UV = MappingProxyType(
    {
        "open": ((6.0, 2.0, 1.8, 1.8, 2.8), (5.0, 1.5, 1.6, 2.5, 2.2)),
        "closed": ((5.5, 1.5, 2.0, 4.5, 2.4), (5.0, 1.5, 2.2, 11.0, 2.2)),
        "N1": ((5.5, 4.0, 4.5, 1.8, 1.9), (5.0, 3.0, 4.2, 2.6, 1.7)),
        "N2": ((5.5, 9.0, 4.5, 1.5, 1.4), (4.5, 5.5, 3.8, 1.6, 1.3)),
        "N3": ((6.0, 24.0, 5.0, 1.4, 1.0), (5.0, 13.0, 4.0, 1.3, 0.9)),
        "REM": ((5.0, 3.6, 4.0, 1.7, 1.8), (4.5, 2.6, 3.4, 2.2, 1.6)),
    }
)
# centre and width in Hz of delta, theta, alpha, beta
RHYTHMS_HZ = ((1.0, 1.2), (5.5, 2.5), (10.0, 1.6), (20.0, 12.0))
ALPHA_CENTRE_HZ = (8.8, 10.8)  # Klimesch 1999, Brain Res Rev 29:169
ALPHA_SUBJECT_SD = (
    0.45  # log scale: about one person in ten has little alpha (Niedermeyer)
)
SUBJECT_SD = 0.18  # log scale, every other component (chosen)
EPOCH_SD = 0.15  # log scale, epoch to epoch (chosen)
SHARED_BETWEEN_CHANNELS = 0.6  # share of a rhythm common to both derivations (chosen)
# Spindles: 12 to 15 Hz, 0.5 to 1.5 s, a few a minute in N2, fewer in N3: Purcell et
# al. 2017, Nature Communications 8:15930; De Gennaro and Ferrara 2003.
SPINDLE_HZ = (12.0, 14.8)
SPINDLE_SEC = (0.5, 1.4)
SPINDLES_PER_MINUTE = MappingProxyType({"N2": 4.0, "N3": 1.5, "N1": 0.1})
SPINDLE_PEAK_UV = (12.0, 28.0)
SPINDLE_AT_PZ_OZ = 0.7
# K complexes: 1 to 3 a minute in N2, above 75 uV from peak to peak: Halasz 2005.
K_COMPLEX_PER_MINUTE = MappingProxyType({"N2": 1.4, "N3": 0.4})
K_COMPLEX_UV = (60.0, 140.0)
K_COMPLEX_AT_PZ_OZ = 0.45
VERTEX_PER_MINUTE_N1 = 1.5  # vertex sharp waves: AASM
VERTEX_UV = (30.0, 70.0)
# Eyes: blinks 15 to 20 a minute awake (Bentivoglio et al. 1997, Mov Disord 12:1028);
# rapid eye movements in bursts, 5 to 15 a minute of REM (Aserinsky 1971); slow rolling
# movements 0.2 to 0.6 Hz in N1 (Ogilvie 2001); saccades 20 uV a degree.
BLINKS_PER_MINUTE = 16.0
BLINK_UV = (60.0, 160.0)
BLINK_AT_EOG, BLINK_AT_FPZ = 0.25, 0.55
SACCADES_PER_MINUTE_OPEN = 25.0
REM_BURSTS_PER_MINUTE = (1.2, 3.0)
REM_PER_BURST = 4.0
SACCADE_UV = (60.0, 260.0)
SACCADE_DECAY_SEC = 0.7  # time constant of the AC amplifier
SLOW_EYE_HZ, SLOW_EYE_UV = (0.15, 0.45), (40.0, 120.0)
EOG_AT_FPZ, EEG_AT_EOG = 0.12, 0.45
EOG_NOISE_UV = 4.0
# Chin tone falls from wake to REM: AASM; movement in wake, twitches in REM.
EMG_TONE_UV = MappingProxyType(
    {"open": 6.0, "closed": 4.0, "N1": 2.8, "N2": 2.0, "N3": 1.7, "REM": 0.9}
)
EMG_FLOOR_UV = 0.5
TWITCHES_PER_MINUTE_REM = 1.0
EMG_LEAK_TO_EEG = 0.25
MOVEMENT_SHARE_OPEN = 0.25  # share of epochs awake out of bed with movement (chosen)
MOVEMENT_SHARE_SLEEP = 0.02
MOVEMENT_UV = (40.0, 200.0)
AROUSALS_PER_HOUR = 12.0  # Bonnet and Arand 2007
AROUSAL_SEC = (3.0, 12.0)

# --- hours with seizures ------------------------------------------------------
# Montage and rate: CHB-MIT (Shoeb 2009, MIT thesis; Goldberger et al. 2000).
CHB_MONTAGE = (
    "FP1-F7", "F7-T7", "T7-P7", "P7-O1", "FP1-F3", "F3-C3", "C3-P3", "P3-O1",
    "FP2-F4", "F4-C4", "C4-P4", "P4-O2", "FP2-F8", "F8-T8", "T8-P8", "P8-O2",
    "FZ-CZ", "CZ-PZ", "P7-T7", "T7-FT9", "FT9-FT10", "FT10-T8", "T8-P8",
)  # fmt: skip
# Unit-sphere places of the 10-20 and 10-10 electrodes, x to the right, y ahead.
ELECTRODE_XY = MappingProxyType(
    {
        "FP1": (-0.31, 0.95), "FP2": (0.31, 0.95), "F7": (-0.81, 0.59),
        "F8": (0.81, 0.59), "F3": (-0.42, 0.52), "F4": (0.42, 0.52),
        "FZ": (0.0, 0.5), "C3": (-0.5, 0.0), "C4": (0.5, 0.0), "CZ": (0.0, 0.0),
        "T7": (-1.0, 0.0), "T8": (1.0, 0.0), "P7": (-0.81, -0.59),
        "P8": (0.81, -0.59), "P3": (-0.42, -0.52), "P4": (0.42, -0.52),
        "PZ": (0.0, -0.5), "O1": (-0.31, -0.95), "O2": (0.31, -0.95),
        "FT9": (-1.05, 0.35), "FT10": (1.05, 0.35),
    }
)  # fmt: skip
BACKGROUND_UV = (16.0, 28.0)  # referential RMS of a child's EEG: Niedermeyer
BACKGROUND_WIDTH = 0.55  # spatial spread of background sources (chosen)
STATE_BLOCK_SEC = (
    240.0,
    900.0,
)  # wake, drowsy, light sleep, deep sleep alternate (chosen)
# gains of (aperiodic, slow 1-3 Hz, theta, posterior alpha, spindles) by state
STATE_GAINS = MappingProxyType(
    {
        "wake": (1.0, 0.3, 0.4, 1.0, 0.0),
        "drowsy": (1.0, 0.7, 1.2, 0.3, 0.0),
        "light": (1.0, 1.4, 0.8, 0.1, 0.8),
        "deep": (1.0, 3.0, 0.8, 0.0, 0.5),
    }
)
# Hypnagogic hypersynchrony of children, 3 to 5 Hz bursts when drowsy: Niedermeyer.
HYPERSYNCHRONY_PER_MINUTE = 0.6
HYPERSYNCHRONY_HZ, HYPERSYNCHRONY_SEC = (3.0, 5.0), (2.0, 6.0)
HYPERSYNCHRONY_UV = (60.0, 140.0)
INTERICTAL_PER_MINUTE = (0.0, 2.0)
SPIKE_UV = (60.0, 160.0)
# Seizures: rhythmic, evolving in frequency, amplitude and place over at least 10 s:
# Hirsch et al. 2021 (ACNS terminology), J Clin Neurophysiol 38:1; typical course
# from theta or alpha down to delta: Blume et al. 1984; Jobst et al. 2001. Durations:
# median about 50 s in CHB-MIT (Shoeb 2009); 20 to 120 s taken.
SEIZURE_SEC = (20.0, 120.0)
SEIZURE_START_HZ, SEIZURE_END_HZ = (5.0, 10.0), (2.0, 3.5)
SEIZURE_START_UV, SEIZURE_PEAK_UV = (35.0, 60.0), (120.0, 320.0)
SEIZURE_WIDTH = (0.28, 0.7)  # spatial spread at onset and at the end
SEIZURE_PEAK_AT = 0.6  # share of the course at which amplitude is highest
SEIZURE_FREQUENCY_JITTER = 0.08  # relative, slow (chosen)
SEIZURE_MUSCLE_UV = 12.0  # in one of two seizures, from a third of its course on
POSTICTAL_SEC, POSTICTAL_SLOW_GAIN = (20.0, 90.0), 1.8  # So and Blume 2010
# Artifacts: chewing 1 to 2 Hz bursts of temporal muscle, movement below 2 Hz on many
# channels, electrode pops, blinks: Tatum et al. 2011, Neurodiagn J 51; muscle 20 to
# 300 Hz: Goncharova et al. 2003, Clin Neurophysiol 114:1580.
ARTIFACTS_PER_HOUR = MappingProxyType(
    {"chewing": 3.0, "movement": 8.0, "muscle": 10.0, "pop": 4.0}
)
CHEW_HZ, CHEW_SEC, CHEW_UV = (1.0, 2.0), (8.0, 60.0), (25.0, 80.0)
MOVE_SEC, MOVE_UV = (2.0, 20.0), (80.0, 400.0)
MUSCLE_SEC, MUSCLE_UV = (3.0, 40.0), (10.0, 45.0)
POP_UV = (100.0, 400.0)
MAINS_HZ, MAINS_UV = 60.0, (0.2, 2.0)

# --- epochs with artifacts -----------------------------------------------------
# EEGdenoiseNet (Zhang et al. 2021, J Neural Eng 18:056057): 2-s epochs, 256 Hz; the
# mixing rule is that of the paper's section 6.1 (see protocol, section 6).
EPOCH_RATE_HZ, ARTIFACT_EPOCH_SEC = 256.0, 2.0
EPOCH_EEG_UV = (8.0, 25.0)
EPOCH_ALPHA_HZ, EPOCH_ALPHA_SHARE = (8.5, 11.5), (0.1, 0.8)
BLINK_SEC = (0.2, 0.4)  # full width: Schiffman; Bentivoglio et al. 1997
BLINKS_PER_EPOCH = (1, 3)
MUSCLE_PEAK_HZ, MUSCLE_WIDTH_HZ = (25.0, 80.0), 60.0  # Goncharova et al. 2003

# --- single-channel segments in the manner of the Bonn set -----------------------
# Andrzejak et al. 2001, Phys Rev E 64:061907: 173.61 Hz, 23.6 s, 0.53 to 40 Hz.
BONN_RATE_HZ, BONN_SAMPLES = 173.61, 4097
BONN_BAND_HZ = (0.53, 40.0)
BONN_NORMAL_UV = (28.0, 65.0)
BONN_ICTAL_UV = (110.0, 450.0)
BONN_ICTAL_HZ = (2.8, 7.5)

# --- resting EEG, alpha slowing --------------------------------------------------
# Alpha peak 9 to 10.5 Hz in healthy age, about 8 Hz in Alzheimer's disease, between in
# frontotemporal dementia; theta up most in Alzheimer's, less and more frontal in FTD;
# gradient from back to front lost: Jeong 2004, Clin Neurophysiol 115:1490; Nishida et
# al. 2011, Clin Neurophysiol 122:1718; Miltiadous et al. 2023, Data 8:95.
RESTING_CHANNELS = (
    "Fp1", "Fp2", "F3", "F4", "C3", "C4", "P3", "P4", "O1", "O2", "F7", "F8", "T3",
    "T4", "T5", "T6", "Fz", "Cz", "Pz",
)  # fmt: skip
RESTING_NEW_NAMES = MappingProxyType({"T3": "T7", "T4": "T8", "T5": "P7", "T6": "P8"})
RESTING_BACKGROUND_UV = 9.0


class Group(NamedTuple):
    """Resting EEG of a cohort."""

    peak_hz: tuple[float, float]  # alpha peak, mean and SD
    rms_uv: tuple[float, float, float]  # alpha, theta, delta
    front: float  # alpha in front / behind
    age: tuple[float, float]  # mean and SD


RESTING_GROUPS = MappingProxyType(
    {
        "HC": Group((9.7, 0.7), (10.0, 3.5, 3.5), 0.35, (67.9, 5.4)),
        "AD": Group((7.9, 0.8), (6.5, 8.0, 5.5), 0.65, (66.4, 7.9)),
        "FTD": Group((8.7, 0.8), (6.5, 5.5, 5.5), 0.6, (63.6, 8.2)),
    }
)  # fmt: skip
RESTING_SUBJECT_SD = 0.35  # log scale
FTD_FRONTAL_SLOW = 1.6  # delta and theta of FTD, front against back
