# SPDX-License-Identifier: MIT
"""The lists that follow from the headers: functions, exported symbols, config keys."""

from functions.facts import GENERATED


def functions_tsv(functions):
    lines = ["name\treturn\tparameters\theader\tsince\ttable\tindex\tstub"]
    for f in functions:
        parameters = ", ".join(f"{kind} {name}" for kind, name in f.parameters) or "void"
        lines.append("\t".join([f.name, f.returns, parameters, f.header, f.since, f.table, f.index,
                                f.stub]))
    return "\n".join(lines) + "\n"


def exports_map(functions):
    names = "".join(f"    {name};\n" for name in sorted(f.name for f in functions))
    return f"# {GENERATED}\nORTC_1 {{\n  global:\n{names}  local:\n    *;\n}};\n"


def key_scope(constant):
    scopes = {"kOrtRunOptions": "run", "kOrtEnv": "env", "kOrtEpDynamicOptions": "dynamic",
              "kOrtEpDevice_": "metadata", "kOrtHardwareDevice_": "metadata",
              "kOrtModelMetadata_": "metadata"}
    return next((scope for start, scope in scopes.items() if constant.startswith(start)), "session")


def config_key_list(keys):
    rows = "".join(f'ORTC_CONFIG_KEY({key_scope(constant)}, "{key}")\n' for constant, key in keys)
    return ("// SPDX-License-Identifier: MIT\n"
            "// Every config key by scope (session, run, env, dynamic, metadata), for\n"
            "// ORTC_CONFIG_KEY(scope, text).\n"
            f"// {GENERATED}\n{rows}")
