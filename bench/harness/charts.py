# SPDX-License-Identifier: MIT
"""The charts of the report as inline SVG: plain shapes and texts, no script, nothing fetched."""

import html
import math

COLOURS = {"ambitious": "#1a7f4b", "must": "#2f6fb3", "miss": "#c0392b", "error": "#8a8f98"}
WALK_COLOURS = {"faster": "#1a7f4b", "level": "#2f6fb3", "slower": "#c0392b", "error": "#8a8f98"}
OURS, THEIRS, GRID, INK, FAINT = "#2f6fb3", "#b9c0ca", "#e4e7ec", "#1f2733", "#6b7482"
ROW, LABEL = 24, 218
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def number(value):
    """Three figures that matter, without exponents."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(digits, 6)}f}"


def _text(x, y, text, anchor="start", fill=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}">{html.escape(str(text))}</text>')


def _line(x1, y1, x2, y2, colour, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def _svg(width, height, parts, title):
    return (f'<svg viewBox="0 0 {width} {height}" width="100%" role="img" {FONT}>'
            f"<title>{html.escape(title)}</title>{''.join(parts)}</svg>")


def ratio_range(row):
    """Smallest and largest ratio of a round."""
    samples = row["samples"]
    ratios = [a / b for a, b in zip(samples["ours"], samples["theirs"]) if b > 0]
    return (min(ratios), max(ratios)) if ratios else (row["ratio"], row["ratio"])


def ratios(rows):
    """One line per row on a logarithmic axis: a dot for the ratio, a bar over the rounds, an open
    mark for what it must reach and a filled one for the ambitious target."""
    width, left, right = 960, LABEL, 890
    values = [v for row in rows for v in (row["must"], row["ambitious"], row["ratio"], 1.0)
              if v and v > 0]
    low = math.floor(math.log10(max(min(values), 1e-5)))
    high = math.ceil(math.log10(max(values)) + 1e-9)
    height = ROW * len(rows) + 44

    def x(value):
        place = math.log10(max(value, 10.0 ** low)) - low
        return left + (right - left) * min(1.0, place / max(1, high - low))

    parts = []
    for power in range(low, high + 1):
        at = x(10.0 ** power)
        parts += [_line(at, 22, at, height - 12, GRID),
                  _text(at, 14, f"{10.0 ** power:g}", "middle", FAINT)]
    parts.append(_line(x(1), 22, x(1), height - 12, FAINT, 1.5))
    for i, row in enumerate(rows):
        y = 36 + i * ROW
        parts.append(_text(left - 12, y + 4, row["name"], "end"))
        parts += [_line(x(row["must"]), y - 7, x(row["must"]), y + 7, FAINT, 2),
                  f'<circle cx="{x(row["ambitious"]):.1f}" cy="{y}" r="2.5" fill="{FAINT}"/>']
        if row["ratio"] is None:
            parts.append(_text(right + 8, y + 4, "error", fill=COLOURS["error"]))
            continue
        colour = COLOURS[row["verdict"]]
        smallest, largest = ratio_range(row)
        parts += [_line(x(smallest), y, x(largest), y, colour, 3),
                  f'<circle cx="{x(row["ratio"]):.1f}" cy="{y}" r="5" fill="{colour}"/>',
                  _text(right + 8, y + 4, number(row["ratio"]), fill=colour, weight="600")]
    return _svg(width, height, parts, "ratio of each row, logarithmic")


def walk(rows):
    """One line per row on the same logarithmic axis for all charts, from a tenth to ten times: a
    dot for the ratio, a bar over the rounds."""
    width, left, right = 960, 300, 890
    height = ROW * len(rows) + 44

    def x(value):
        return left + (right - left) * min(1.0, max(0.0, (math.log10(max(value, 0.1)) + 1) / 2))

    parts = []
    for value in (0.1, 0.2, 0.5, 1, 2, 5, 10):
        parts += [_line(x(value), 22, x(value), height - 12, FAINT if value == 1 else GRID),
                  _text(x(value), 14, f"{value:g}", "middle", FAINT)]
    for i, row in enumerate(rows):
        y, colour = 36 + i * ROW, WALK_COLOURS[row["verdict"]]
        parts += [_text(left - 12, y + 4, row["name"], "end"),
                  _line(x(row["lower"]), y, x(row["upper"]), y, colour, 3),
                  f'<circle cx="{x(row["ratio"]):.1f}" cy="{y}" r="5" fill="{colour}"/>',
                  _text(right + 8, y + 4, number(row["ratio"]), fill=colour, weight="600")]
    return _svg(width, height, parts, "ratio of each row, logarithmic")


def pairs(rows):
    """Two bars per row, the longer one full; the numbers stand behind them."""
    rows = [row for row in rows if row["ratio"] is not None]
    width, left, full, step = 960, LABEL, 560, 40
    parts = []
    for i, row in enumerate(rows):
        y = 8 + i * step
        most = max(row["ours"], row["theirs"], 1e-12)
        parts.append(_text(left - 12, y + 20, row["name"], "end"))
        for offset, side, colour in ((0, "ours", OURS), (15, "theirs", THEIRS)):
            length = max(1.0, full * max(row[side], 0) / most)
            parts.append(f'<rect x="{left}" y="{y + offset}" width="{length:.1f}" height="12" '
                         f'rx="2" fill="{colour}"/>')
            parts.append(_text(left + length + 8, y + offset + 10,
                               f"{number(row[side])} {row['unit']}", fill=FAINT))
    return _svg(width, step * len(rows) + 8, parts, "ours and theirs, row by row")


def operators(rows, most, colour):
    """Bars of one side's profile; `most` is the longest of both sides."""
    width, left, full = 470, 170, 190
    parts = []
    for i, row in enumerate(rows):
        y = 6 + i * 20
        length = max(1.0, full * row["ms"] / most)
        parts += [_text(left - 8, y + 10, row["operator"][:24], "end"),
                  f'<rect x="{left}" y="{y}" width="{length:.1f}" height="12" rx="2" '
                  f'fill="{colour}"/>',
                  _text(left + length + 6, y + 10,
                        f"{number(row['ms'])} ms, {row['nodes']}×", fill=FAINT)]
    return _svg(width, 20 * len(rows) + 8, parts, "time by operator")
