# SPDX-License-Identifier: MIT
"""report.html from the results: one file, readable without a network."""

import html

from . import charts
from .rows import ROWS
from .samples import was_asked

SHOWN_OPERATORS = 12
GROUPS = (("load.", "Loading"), ("first_result.", "First result"), ("source.", "From source"),
          ("env.", "Environment"), ("memory.", "Memory"), ("peak.", "Memory while compiling"),
          ("file.", "Files"), ("latency.", "Latency"), ("scale.", "Scaling"), ("size.", "Size"))
STYLE = """
body { margin: 0; background: #f6f7f9; color: #1f2733; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 24px 64px; }
section { background: #fff; border: 1px solid #e4e7ec; border-radius: 8px; padding: 20px 24px;
  margin: 20px 0; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 0 0 12px; }
h3 { font-size: 15px; margin: 16px 0 6px; } p, li { max-width: 76ch; }
.faint { color: #6b7482; } code { font-size: 13px; }
.cards { display: flex; gap: 12px; flex-wrap: wrap; margin-top: 16px; }
.card { background: #fff; border: 1px solid #e4e7ec; border-radius: 8px; padding: 10px 18px;
  min-width: 110px; } .card b { display: block; font-size: 26px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid #eef0f3; }
td { white-space: nowrap; } td:first-child, td.text { white-space: normal; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
th { color: #6b7482; font-weight: 600; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; }
@media (max-width: 800px) { .two { grid-template-columns: 1fr; } }
"""


def _escape(value):
    return html.escape(str(value))


def _head(results):
    machine, versions = results["machine"], results["versions"]
    features = ", ".join(machine["features"])
    return (f"<h1>ortc beside ONNX Runtime</h1><p class=faint>{_escape(versions['ours'])} · "
            f"{_escape(versions['theirs'])} · {results['rounds']} rounds, interleaved, a fresh "
            f"process per sample · <code>{_escape(results['command'])}</code></p>"
            f"<p class=faint>{_escape(machine['processor'])}, {machine['processors']} processors "
            f"({_escape(features)}), {machine['memory_mb']} MB, {_escape(machine['system'])}; load "
            f"average at the start {machine['load_average_at_start']:.2f}</p>")


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
            + charts.ratios(rows) + "</section>")


def _groups(rows):
    parts = []
    for prefix, title in GROUPS:
        mine = [row for row in rows if row["name"].startswith(prefix)]
        if any(row["ratio"] is not None for row in mine):
            parts.append(f"<section><h2>{title}</h2><p class=faint>Blue: ours; grey: the other "
                         f"side.</p>{charts.pairs(mine)}</section>")
    return "".join(parts)


def _table(rows):
    lines = []
    for row in rows:
        colour = charts.COLOURS[row["verdict"]]
        if row["ratio"] is None:
            cells = f"<td colspan=4 class=text>{_escape(row['error'])}</td>"
        else:
            cells = "".join(f"<td>{text}</td>" for text in (
                f"<b>{charts.number(row['ratio'])}</b>",
                f"{charts.number(row['ours'])} {row['unit']}",
                f"{charts.number(row['theirs'])} {row['unit']}", f"{row['spread'] * 100:.0f} %"))
        note = f" ({_escape(row['note'])})" if row["note"] else ""
        lines.append(f"<tr><td><b>{_escape(row['name'])}</b><br><span class=faint>"
                     f"{_escape(row['what'])}{note}</span></td>{cells}<td>{row['must']:g}</td>"
                     f"<td>{row['ambitious']:g}</td><td style=\"color:{colour}\">"
                     f"{row['verdict']}</td></tr>")
    return ("<section><h2>All rows</h2><p class=faint>Loads are the minimum over the rounds, "
            "latencies and memory the median. Spread: largest less smallest ratio of a round, over "
            "their median.</p><div class=scroll><table><tr><th>row<th>ratio<th>ours<th>other side"
            "<th>spread<th>must<th>ambitious<th>verdict</tr>" + "".join(lines)
            + "</table></div></section>")


def _profile_side(title, side, most, colour):
    if "error" in side:
        return f"<div><h3>{title}</h3><p class=faint>{_escape(side['error'])}</p></div>"
    total = sum(row["ms"] for row in side["operators"])
    shown = side["operators"][:SHOWN_OPERATORS]
    return (f"<div><h3>{title}: {charts.number(total)} ms</h3>"
            f"{charts.operators(shown, most, colour)}</div>")


def _profiles(profiles):
    if not profiles:
        return ""
    parts = ["<section><h2>Time by operator</h2><p class=faint>Each library's own profiler, one "
             "thread, milliseconds per run and number of nodes. Fused nodes have the name of the "
             "fused operator.</p>"]
    for entry in profiles:
        times = [row["ms"] for side in ("ours", "theirs")
                 for row in entry[side].get("operators", [])]
        most = max(times, default=1.0)
        parts.append(f"<h3>{_escape(entry['model'])}</h3><div class=two>"
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
        lines.append(f"<tr><td>{_escape(entry['model'])}</td><td class=text>"
                     f"{_escape(entry['arithmetic'])}</td><td class=text>{_escape(text)}</td></tr>")
    return ("<section><h2>Outputs</h2><p class=faint>Compared before anything is timed; from "
            "source, from an external and from an embedded context, on one thread and two, the "
            "bits are the same.</p><div class=scroll><table><tr><th>model<th class=text>arithmetic"
            "<th class=text>outputs</tr>" + "".join(lines) + "</table></div></section>")


def write(path, results):
    rows = [row for row in results["rows"] if was_asked(row)]
    body = (_head(results) + _cards(rows) + _ratios(rows) + _groups(rows) + _table(rows)
            + _profiles(results["profiles"]) + _outputs(results["outputs"]))
    with open(path, "w", encoding="utf-8") as file:
        file.write("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
                   "content=\"width=device-width, initial-scale=1\"><title>ortc beside ONNX Runtime"
                   f"</title><style>{STYLE}</style><main>{body}</main></html>\n")
