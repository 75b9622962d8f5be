"""Feature columns: how tables of raw features become what models are given.

`base.py` says what columns are and what they are computed from; `categories.py` has those that
are numbers of categories, `vectors.py` those that are vectors, `models.py` what is made of several.
"""
