"""Names and texts that attack whatever they pass through."""

NAMES = (
    'O\'Brien "the" `Duke`',
    "'}) DETACH DELETE (n)//",
    "' OR 1=1 --",
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "../../etc/passwd",
    "C:\\Windows\\System32",
    "x" * 10_000,
    "👩‍👩‍👧‍👦 семья 家族",
    "שלום עולם",
    "\u202eevil\u202c",
    "$x^2$ **bold** [link](javascript:alert(1))",
    '=HYPERLINK("http://example.invalid")',
    "line\nbreak\ttab",
    "\x1b[31mred\x1b[0m",
    "{curly} %s %(x)s ${y} {{z}}",
    "NULL",
    "\\u0000 \\x00 \\",
)
