"""Weights of what a record reports: (people, animals, laboratory, plan) for each feature of
`clinfo.text.subjects`.

Fitted on 2322 records with an even PMID by `python -m benchmarks.own.fit_subject --write`; not
edited by hand.
"""

BIAS: tuple[float, ...] = (5.368, -1.491, -2.449, -1.427)
WEIGHTS: dict[str, tuple[float, ...]] = {
    "aims": (0.086, -0.385, -0.333, 0.631),
    "animal work": (0.018, -0.987, 0.976, -0.007),
    "animal work in title": (-0.015, -1.769, 1.785, -0.000),
    "animal work, no humans": (-0.020, -1.001, 1.023, -0.002),
    "animals": (-1.431, 0.590, 0.857, -0.016),
    "animals in title": (-0.600, 0.647, -0.041, -0.006),
    "clinical": (0.309, -0.269, -0.810, 0.771),
    "clinical in title": (-0.739, -0.456, -0.220, 1.415),
    "counted humans": (0.447, -0.365, -0.305, 0.224),
    "counted species": (-0.592, -0.133, 0.732, -0.008),
    "counted things": (-1.626, 0.236, 1.407, -0.018),
    "discussion, no results": (-1.034, -0.035, -0.049, 1.118),
    "done": (0.033, 0.193, -0.546, 0.320),
    "figures": (-0.167, -0.502, 0.588, 0.082),
    "figures, at the end": (0.495, 0.416, -0.551, -0.359),
    "hint of a plan in title": (-2.017, -0.263, 0.058, 2.221),
    "humans": (1.602, -0.593, -1.946, 0.937),
    "humans in title": (0.654, -0.811, -1.131, 1.289),
    "labelled, no results": (-1.130, -0.106, -0.263, 1.500),
    "laboratory": (-0.530, -0.066, 1.198, -0.602),
    "laboratory in title": (-1.092, -0.471, 1.873, -0.310),
    "laboratory, no humans": (0.045, 0.363, -0.185, -0.223),
    "molecules": (-0.668, 0.421, 0.697, -0.450),
    "molecules in title": (-1.707, -0.034, 2.024, -0.282),
    "no figures": (-0.695, 0.061, 1.215, -0.581),
    "no humans": (-0.226, -0.008, 1.098, -0.864),
    "past": (-0.086, 0.742, 0.743, -1.399),
    "plan in title": (-2.180, -0.094, -0.136, 2.410),
    "registered, no figures": (-0.645, -0.149, -0.349, 1.143),
    "results labelled": (-0.157, -0.269, -0.046, 0.472),
    "setting": (-0.754, -0.586, 0.908, 0.432),
    "setting in title": (-1.433, 0.863, 0.884, -0.315),
    "species": (-2.950, 3.592, -0.594, -0.048),
    "species in title": (-3.254, 3.917, -0.615, -0.048),
    "species, no humans": (-1.043, 1.461, -0.402, -0.016),
    "will": (-1.733, -0.412, 0.552, 1.594),
    "will, at the end": (0.533, 0.004, -0.716, 0.179),
}
