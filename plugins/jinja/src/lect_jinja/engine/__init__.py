"""The engine: it runs a template's text that nobody has to trust, and reads off its tree what the text does.

A template's code asks its context (`codegen`, `context`) before it does anything; `operations` has the rows of all that
it may call, `guard` the budget and the weights, `origins` whose text a result is. It imports no other folder.
"""
