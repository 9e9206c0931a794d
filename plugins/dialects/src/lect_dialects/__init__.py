"""Reply formats of models whose families are not among the packages of lect.

Each is found by its name: `lect.parse(None, output, format="minimax_m2_xml")`.
"""

__version__ = "0.1.0"
