"""The formats of strings as patterns: exactly what their definitions allow.

Dates and times are those of RFC 3339, except for leap seconds, which are told only in UTC: the other offsets at which
one may fall would take a branch for every minute of a day.
"""

from __future__ import annotations

LONG, SHORT = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])", "(0[469]|11)-(0[1-9]|[12][0-9]|30)"
LEAP = "([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
DATE = f"([0-9]{{4}}-({LONG}|{SHORT}|02-(0[1-9]|1[0-9]|2[0-8]))|{LEAP}-02-29)"
OFFSET = "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
TIME = rf"(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?{OFFSET}|23:59:60(\.[0-9]+)?([Zz]|[+-]00:00))"
DAYS = "([0-9]+D|[0-9]+M([0-9]+D)?|[0-9]+Y([0-9]+M([0-9]+D)?)?)"
HOURS = "T([0-9]+S|[0-9]+M([0-9]+S)?|[0-9]+H([0-9]+M([0-9]+S)?)?)"
BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4 = rf"{BYTE}(\.{BYTE}){{3}}"
GROUP = "[0-9a-fA-F]{1,4}"
TAIL = f"({GROUP}:{GROUP}|{IPV4})"
IPV6 = (
    f"(({GROUP}:){{6}}{TAIL}"
    + "".join(
        f"|{f'({GROUP}(:{GROUP}){{0,{before - 1}}})?' if before else ''}::"
        + (f"({GROUP}:){{{5 - before}}}{TAIL}" if before < 6 else GROUP if before == 6 else "")
        for before in range(8)
    )
    + ")"
)
LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\-]+"
QUOTED = r'"([ !#-\[\]-~]|\\[ -~])*"'
DOMAIN = r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*"
ENCODED = "%[0-9a-fA-F]{2}"
PATH = rf"([A-Za-z0-9._~!$&'()*+,;=:@\-]|{ENCODED})"
NAME = rf"([A-Za-z0-9._~!$&'()*+,;=\-]|{ENCODED})"
HOST = rf"(\[({IPV6}|v[0-9a-fA-F]+\.[A-Za-z0-9._~!$&'()*+,;=:\-]+)\]|{NAME}*)"
AUTHORITY = f"(({NAME}|:)*@)?{HOST}(:[0-9]*)?"
FORMATS = {
    "date": DATE,
    "time": TIME,
    "date-time": f"{DATE}[Tt]{TIME}",
    "duration": f"P({DAYS}({HOURS})?|{HOURS}|[0-9]+W)",
    "uuid": "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "email": rf"({ATOM}(\.{ATOM})*|{QUOTED})@({DOMAIN}|\[({IPV4}|IPv6:{IPV6})\])",
    "ipv4": IPV4,
    "ipv6": IPV6,
    "hostname": rf"{LABEL}(\.{LABEL})*",
    "uri": rf"[A-Za-z][A-Za-z0-9+.\-]*:(//{AUTHORITY}(/{PATH}*)*|/({PATH}+(/{PATH}*)*)?|{PATH}+(/{PATH}*)*|)"
    rf"(\?({PATH}|[/?])*)?(#({PATH}|[/?])*)?",
}
"""The patterns of whole strings, by format."""
LENGTHS = {"hostname": 253}
"""How long strings of a format may be, where its pattern does not say."""


def format_schema(name: object) -> dict[str, object] | None:
    """Return a format as other keywords; None if it is not known."""
    pattern = FORMATS.get(name) if isinstance(name, str) else None
    if pattern is None:
        return None
    return {"pattern": f"^({pattern})$"} | ({"maxLength": LENGTHS[str(name)]} if name in LENGTHS else {})
