"""Public data sets as they lie on a disk, one module each.

A module here finds its files below a folder, reads what the data set says about them
(labels, event times, stages) and returns plain frozen values. It knows nothing of
tasks, prompts or sets; those are made in `eegbench.suites`. What is missing,
unreadable or contradictory is collected as text and returned, not raised, so that one
bad file costs only itself.
"""
