"""The five systems: what one rule text says and the others don't. None of them knows another.

`cascade` is the ranking level by level that nl1996 and rebels share.
"""
