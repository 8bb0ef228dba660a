"""The public data sets: what each is, whether it is here, and how it is fetched.

Nothing here touches the network but `fetch`, and that only when a person asks for it.
"""
