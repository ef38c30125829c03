"""Paper: the marker sheet, score sheets and standings as PDF, drawn to scale.

Words come from outside: every function takes `say`, which answers a key and its values with a sentence, so that
a sheet is printed in whatever language the caller speaks.
"""
