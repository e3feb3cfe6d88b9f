# SPDX-License-Identifier: MIT
"""The sections of the report about the rows of bench/run."""

import math
from html import escape

from . import charts
from .rows import ROWS
from .samples import was_asked

SHOWN_OPERATORS = 12
GROUPS = (("load.", "Loading"), ("first_result.", "First result"), ("source.", "From source"),
          ("env.", "Environment"), ("memory.", "Memory"), ("peak.", "Memory while compiling"),
          ("file.", "Files"), ("latency.", "Latency"), ("scale.", "Scaling"), ("size.", "Size"))


# Rows that compare with something else than ONNX Runtime's defaults do not count.
HEADLINES = (("load.", "loads in {} of the time",
              ("load.grow", "load.pair_second", "load.bert128.vs_fastest")),
             ("latency.", "runs in {} of the time", ("latency.nbits_decode_acc4.1t",)),
             ("memory.", "takes {} of the private memory", ("memory.pair",)))


def headline(rows):
    """What the rows say together: geometric means of the ratios of a group."""
    parts = []
    for prefix, text, besides in HEADLINES:
        ratios = [row["ratio"] for row in rows
                  if row["name"].startswith(prefix) and row["ratio"] and row["name"] not in besides]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            parts.append(text.format(f"{charts.number(mean * 100)} %"))
    return "A compiled model " + ", ".join(parts) if parts else "ortc beside ONNX Runtime"


def _words():
    """What the short words of these sections mean."""
    words = (("ratio", "ours divided by the other side's number; lower is better, 1 is equal"),
             ("must", "the ratio that this project requires of the row"),
             ("ambitious", "the ratio that it hopes for"),
             ("verdict", "which of the two the ratio reaches; with a ± where single rounds give "
                         "another verdict, so that the target lies within the noise"),
             ("spread", "largest less smallest ratio of a round, over their median"),
             ("1t, 2t", "on one thread, on two; each side on as many processors"))
    items = "".join(f"<dt>{word}<dd>{text}" for word, text in words)
    return f"<section><h2>Words</h2><dl>{items}</dl></section>"


def _verdict(row):
    return row["verdict"] + ("" if row.get("certain", True) else " ±")


def _cards(rows):
    texts = {"ambitious": "ambitious target reached", "must": "required ratio reached",
             "miss": "missed", "error": "without a number"}
    cards = []
    for verdict, text in texts.items():
        count = sum(row["verdict"] == verdict for row in rows)
        cards.append(f'<div class=card><b style="color:{charts.COLOURS[verdict]}">{count}</b>'
                     f"{text}</div>")
    missing = "" if len(rows) == len(ROWS) else \
        f"<p class=faint>{len(rows)} of {len(ROWS)} rows were asked for.</p>"
    return f"<div class=cards>{''.join(cards)}</div>{missing}"


def _ratios(rows):
    return ("<section><h2>Ratios</h2><p class=faint>Ours divided by ONNX Runtime's (where a row "
            "compares something else, the table says what); lower is better. Dot: the result; bar: "
            "the rounds; upright mark: what it must reach; small dot: the ambitious target.</p>"
            + f"<div class=scroll>{charts.ratios(rows)}</div></section>")


def _groups(rows):
    parts = []
    for prefix, title in GROUPS:
        mine = [row for row in rows if row["name"].startswith(prefix)]
        if any(row["ratio"] is not None for row in mine):
            parts.append(f"<section><h2>{title}</h2><p class=faint>Blue: ours; grey: the other "
                         "side. Each row has a scale of its own: the longer bar is full. Compare "
                         f"rows by their numbers.</p><div class=scroll>{charts.pairs(mine)}</div>"
                         "</section>")
    return "".join(parts)


def _table(rows):
    lines = []
    for row in rows:
        colour = charts.COLOURS[row["verdict"]]
        if row["ratio"] is None:
            cells = f"<td colspan=4 class=text>{escape(row['error'])}</td>"
        else:
            cells = "".join(f"<td>{text}</td>" for text in (
                f"<b>{charts.number(row['ratio'])}</b>",
                f"{charts.number(row['ours'])} {row['unit']}",
                f"{charts.number(row['theirs'])} {row['unit']}", f"{row['spread'] * 100:.0f} %"))
        note = f" ({escape(row['note'])})" if row["note"] else ""
        lines.append(f"<tr><td><b>{escape(row['name'])}</b><br><span class=faint>"
                     f"{escape(row['what'])}{note}</span></td>{cells}<td>{row['must']:g}</td>"
                     f"<td>{row['ambitious']:g}</td><td style=\"color:{colour}\">"
                     f"{_verdict(row)}</td></tr>")
    return ("<section><h2>All rows</h2><p class=faint>Loads are the minimum over the rounds, "
            "latencies and memory the median. Spread: largest less smallest ratio of a round, over "
            "their median.</p><div class=scroll><table><tr><th>row<th>ratio<th>ours<th>other side"
            "<th>spread<th>must<th>ambitious<th>verdict</tr>" + "".join(lines)
            + "</table></div></section>")


def _profile_side(title, side, most, colour):
    if "error" in side:
        return f"<div><h3>{title}</h3><p class=faint>{escape(side['error'])}</p></div>"
    total = sum(row["ms"] for row in side["operators"])
    shown = side["operators"][:SHOWN_OPERATORS]
    return (f"<div><h3>{title}: {charts.number(total)} ms</h3>"
            f"{charts.operators(shown, most, colour)}</div>")


def profiles(entries, which):
    """Both sides' time by operator, model by model; `which` says why these."""
    if not entries:
        return ""
    parts = [f"<section><h2>Time by operator</h2><p class=faint>{which} Each library's own "
             "profiler, one thread, milliseconds per run and number of nodes. Fused nodes have the "
             "name of the fused operator.</p>"]
    for entry in entries:
        times = [row["ms"] for side in ("ours", "theirs")
                 for row in entry[side].get("operators", [])]
        most = max(times, default=0.0) or 1.0
        parts.append(f"<h3>{escape(entry['model'])}</h3><div class=two>"
                     + _profile_side("ours", entry["ours"], most, charts.OURS)
                     + _profile_side("ONNX Runtime", entry["theirs"], most, charts.THEIRS)
                     + "</div>")
    return "".join(parts) + "</section>"


def _outputs(outputs):
    if not outputs:
        return ""
    lines = []
    for entry in outputs:
        text = entry.get("error") or f"agree; largest error {entry['largest_error']:.2g}"
        lines.append(f"<tr><td>{escape(entry['model'])}</td><td class=text>"
                     f"{escape(entry['arithmetic'])}</td><td class=text>{escape(text)}</td></tr>")
    return ("<section><h2>Outputs</h2><p class=faint>Compared before anything is timed; from "
            "source, from an external and from an embedded context, on one thread and two, the "
            "bits are the same.</p><div class=scroll><table><tr><th>model<th class=text>arithmetic"
            "<th class=text>outputs</tr>" + "".join(lines) + "</table></div></section>")


def sections(results):
    rows = [row for row in results["rows"] if was_asked(row)]
    return (_cards(rows) + _words() + _ratios(rows) + _groups(rows) + _table(rows)
            + profiles(results["profiles"], "") + _outputs(results["outputs"]))
