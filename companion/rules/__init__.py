"""The rules: what is legal, what it scores, who is first. Pure, and of the standard library only.

Nothing here knows a clock, chance, a file of the user, a thread or a screen: instants, lots and boards are arguments,
and answers come back as frozen data with their reasons. The only files read are the shipped rulesets and boards.

From the bottom up: `errors` and `reason` (what is refused, and why something is so), `ruleset` and `board` (the data),
then one module per question (`dice`, `combat`, `cards`, `clock`, `seating`, `turns`, `position`, `missions`), the five
`systems` with what only they know, and `scoring`, `standings` and `draw` on top. docs/rules.md names the function
behind every clause.
"""
