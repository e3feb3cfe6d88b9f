# SPDX-License-Identifier: MIT
"""report.html from what was measured into one folder: one file, readable without a network.

Each of results.json (bench/run), real.json (bench/real) and operators.json (bench/operators) that
is there gives its sections, with the date and commit of its own.
"""

import json
import os
from html import escape

from . import report_rows, report_walks

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
.scroll svg { min-width: 720px; } dt { font-weight: 600; } dd { margin: 0 0 6px; max-width: 76ch; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 24px; }
@media (max-width: 800px) { .two { grid-template-columns: 1fr; } main { padding: 16px 8px; }
  section { padding: 12px; } }
"""




def _measured(title, results):
    """When, of what, on what a file's numbers were taken."""
    machine = results["machine"]
    when = " · ".join(text for text in (
        results.get("date"), results.get("commit") and f"commit {results['commit']}",
        f"{results['rounds']} rounds, interleaved, a fresh process per sample") if text)
    versions = " · ".join(results.get("versions", {}).values())
    command = f" · <code>{escape(results['command'])}</code>" if "command" in results else ""
    features = ", ".join(machine["features"])
    return (f"<h1>{escape(title)}</h1><p class=faint>{escape(when)}{command}<br>{escape(versions)}"
            f"</p><p class=faint>{escape(machine['processor'])}, {machine['processors']} processors "
            f"({escape(features)}), {machine['memory_mb']} MB, {escape(machine['system'])}; load "
            f"average at the start {machine['load_average_at_start']:.2f}</p>")


def _read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def page(results, real, operators):
    """The page's text; each argument may be None."""
    body = ""
    if results:
        title = report_rows.headline(results["rows"])
        body += _measured(title, results) + report_rows.sections(results)
    if real:
        body += _measured(report_walks.headline("Trained networks", real), real)
        body += report_walks.real(real)
    if operators:
        body += _measured(report_walks.headline("Single operators", operators), operators)
        body += report_walks.operators(operators)
    return ("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport "
            "content=\"width=device-width, initial-scale=1\"><title>ortc beside ONNX Runtime"
            f"</title><style>{STYLE}</style><main>{body}</main></html>\n")


def write(folder):
    text = page(*(_read(folder, f"{name}.json") for name in ("results", "real", "operators")))
    path = os.path.join(folder, "report.html")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)
