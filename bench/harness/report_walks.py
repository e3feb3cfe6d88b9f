# SPDX-License-Identifier: MIT
"""The sections of the report about trained networks and single operators: worst first, all rows on
one scale."""

from html import escape

from . import charts
from .report_rows import profiles

SHOWN_OPEN = 40  # rows; the others are folded


def headline(title, results):
    summary = results["summary"]
    if not summary["rows"]:
        return f"{title}: no numbers"
    seed = f", sizes drawn with the seed {results['seed']}" if results.get("seed") else ""
    return (f"{title}: {charts.number(summary['geometric_mean'] * 100)} % of ONNX Runtime's time, "
            f"{summary['rows']} rows{seed}")


def verdict(row):
    """Which side is faster, as far as the rounds agree."""
    if "error" in row:
        return "error"
    if row["upper"] < 1:
        return "faster"
    return "slower" if row["lower"] > 1 else "level"


def _sorted(rows):
    return sorted(rows, key=lambda row: -row.get("ratio", 1e9))


def _counts(rows):
    texts = {"faster": "faster in every round", "level": "sometimes faster, sometimes not",
             "slower": "slower in every round", "error": "without a number"}
    cards = []
    for name, text in texts.items():
        count = sum(verdict(row) == name for row in rows)
        cards.append(f'<div class=card><b style="color:{charts.WALK_COLOURS[name]}">{count}</b>'
                     f"{text}</div>")
    return f"<div class=cards>{''.join(cards)}</div>"


def _chart(rows):
    """The worst open, the others folded, on the same scale."""
    named = [{**row, "name": f"{row['name']} {row['threads']}t", "verdict": verdict(row)}
             for row in rows if "error" not in row]
    text = ("<p class=faint>Ours divided by ONNX Runtime's time, on one logarithmic scale; lower is "
            "better. Dot: the median of the rounds; bar: from the smallest to the largest.</p>"
            f"<div class=scroll>{charts.walk(named[:SHOWN_OPEN])}</div>")
    if len(named) > SHOWN_OPEN:
        text += (f"<details><summary>{len(named) - SHOWN_OPEN} more rows</summary><div class=scroll>"
                 f"{charts.walk(named[SHOWN_OPEN:])}</div></details>")
    return text


def _errors(rows):
    lines = "".join(f"<tr><td>{escape(row['name'])} {row['threads']}t</td><td class=text>"
                    f"{escape(row['error'])}</td></tr>" for row in rows if "error" in row)
    return f"<div class=scroll><table>{lines}</table></div>" if lines else ""


def operators(results):
    rows = _sorted(results["rows"])
    summary = results["summary"]
    words = (f"<p>{summary['above_1.1']} rows take more than 1.1 of ONNX Runtime's time, "
             f"{summary['above_1.5_for_certain']} more than 1.5 in every round.</p>"
             if summary["rows"] else "")
    return (_counts(rows) + f"<section><h2>Models of one operator</h2>{words}{_chart(rows)}"
            f"{_errors(rows)}</section>")


def _real_table(rows):
    lines = []
    for row in rows:
        if "error" in row:
            continue
        numbers = "".join(f"<td>{text}</td>" for text in (
            f"<b>{charts.number(row['ratio'])}</b>", charts.number(row["processor"]),
            f"{charts.number(row['ours_ms'])} ms", f"{charts.number(row['theirs_ms'])} ms",
            f"{charts.number(row['load'])}", f"{charts.number(row['memory'])}",
            f"{row['largest_error']:.1g}"))
        lines.append(f"<tr><td><b>{escape(row['name'])}</b> {row['threads']}t<br><span class=faint>"
                     f"{escape(row['what'])}; {escape(row['package'])}</span></td>{numbers}</tr>")
    return ("<p class=faint>Ratio: of the median runs. Processor: of the processor time per run. "
            "Load: of the shortest loads, our context's and their source's. Memory: of the private "
            "memory after the first run. Error: the largest difference of the outputs, relative "
            "above 1.</p><div class=scroll><table><tr><th>network<th>ratio<th>processor<th>ours"
            f"<th>ONNX Runtime<th>load<th>memory<th>error</tr>{''.join(lines)}</table></div>")


def real(results):
    rows = _sorted(results["rows"])
    slower = [row["profile"] for row in rows if "profile" in row]
    return (_counts(rows) + "<section><h2>Networks that somebody trained and uses</h2>"
            f"{_chart(rows)}{_real_table(rows)}{_errors(rows)}</section>"
            + profiles(slower, "Of networks that take longer than with ONNX Runtime."))
