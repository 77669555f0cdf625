"""What to set in training: which values of a loss's parameters are safe, and which result says so.

The table (:mod:`.table`) says which quantities of which results bound a parameter of a loss;
:mod:`.advise` asks them at a setting. No formula stands here.
"""
