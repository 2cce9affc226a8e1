"""Weights of what a study is on: (people, animals, laboratory) for each feature of `clinfo.text.subjects`.

Fitted on 856 records with an even PMID by `python -m benchmarks.own.fit_subject --write`; not edited by hand.
"""

BIAS: tuple[float, ...] = (1.826, -1.585, -0.241)
WEIGHTS: dict[str, tuple[float, float, float]] = {
    "animals": (-0.702, 0.046, 0.655),
    "animals in title": (-0.798, 0.913, -0.115),
    "counted humans": (0.488, -0.324, -0.165),
    "counted species": (-0.620, -0.060, 0.680),
    "counted things": (-0.333, 0.118, 0.214),
    "handled": (-0.235, 0.544, -0.309),
    "humans": (2.060, -0.418, -1.642),
    "humans in title": (1.369, -0.434, -0.936),
    "laboratory": (-1.105, 0.116, 0.989),
    "laboratory in title": (-1.353, -0.127, 1.480),
    "laboratory, no humans": (-1.064, 0.566, 0.498),
    "species": (-2.138, 2.752, -0.614),
    "species in title": (-2.509, 3.033, -0.524),
    "species, no humans": (-0.697, 1.084, -0.387),
    "strain": (-0.001, -1.374, 1.375),
}
