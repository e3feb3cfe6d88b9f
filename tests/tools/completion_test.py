#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of completion in the shells themselves: completion_test.py ORTC [unittest argument ...]

Each shell is asked what may stand next. A shell that is not installed is named on stderr, and its
tests are skipped.
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import time
import unittest

from tool_testing import ORTC, ToolTestCase

# What is typed, and all that may stand there. The folder has m.onnx and m_ctx.onnx.
CASES = (
    ("ortc comp", {"compile", "compare", "completion"}),
    ("ortc help ver", {"verify"}),
    ("ortc compile --progress p", {"plain"}),
    ("ortc compile --opt-level 9", {"99"}),
    ("ortc merge --con", {"--connect"}),
    ("ortc bench --l", {"--loads", "--layers", "--layout"}),
    ("ortc run m.on", {"m.onnx"}),
    ("ortc run m.onnx --layout NH", {"NHWC"}),
    ("ortc run m.onnx --dump", {"--dump-node"}),
    ("ortc completion z", {"zsh"}),
    ("ortc inspect m", {"m.onnx", "m_ctx.onnx"}),
    ("ortc compile m.onnx -o m_", {"m_ctx.onnx"}),
    ("ortc compile --sh", {"--share"}),
    ("ortc compile --share m.onnx m_", {"m_ctx.onnx"}),
    ("ortc compile --share --out-", {"--out-dir"}),
    ("ortc bench m.onnx --threads m", set()),
    ("ortc bench --layers m.on", {"m.onnx"}),
)


def needs(shell):
    if shutil.which(shell):
        return lambda test: test
    print(f"completion_test.py: {shell} is not installed: NOT TESTED", file=sys.stderr)
    return unittest.skip(f"{shell} is not installed")


class CompletionTest(ToolTestCase):
    def setUp(self):
        super().setUp()
        for name in ("m.onnx", "m_ctx.onnx"):
            open(self.path(name), "w").close()
        self.scripts = {}
        os.mkdir(self.path(".scripts"))
        for shell in ("bash", "zsh", "fish"):
            self.scripts[shell] = self.path(".scripts/_ortc" if shell == "zsh" else
                                            ".scripts/ortc." + shell)
            with open(self.scripts[shell], "w", encoding="utf-8") as file:
                file.write(self.ortc("completion", shell))

    def check_cases(self, complete):
        for typed, expected in CASES:
            with self.subTest(typed=typed):
                # A word that nothing completes stays as it is.
                self.assertEqual(complete(typed) - {typed.split()[-1], ""}, expected)

    def lines_of(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "HOME": self.folder})
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout.splitlines()

    def test_completion__works_in_bash(self):
        def complete(typed):
            return set(self.lines_of("bash", "--norc", "-c", f"""
                source {self.scripts["bash"]}
                COMP_WORDS=({typed}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
                _ortc
                printf '%s\\n' "${{COMPREPLY[@]}}" """))
        self.check_cases(complete)

    def test_completion__keeps_names_with_blanks_whole_in_bash(self):
        os.rename(self.path("m_ctx.onnx"), self.path("my model.onnx"))
        self.assertEqual(self.lines_of("bash", "--norc", "-c", f"""
            source {self.scripts["bash"]}
            COMP_WORDS=(ortc inspect my) COMP_CWORD=2
            _ortc
            printf '%s\\n' "${{COMPREPLY[@]}}" """), ["my model.onnx"])

    def test_completion__refuses_a_shell_that_it_does_not_know(self):
        self.ortc("completion", "csh", exit_code=2)
        self.assertIn("bash, zsh or fish, found 'csh'", self.errors)

    @needs("fish")
    def test_completion__works_in_fish(self):
        def complete(typed):
            lines = self.lines_of("fish", "--no-config", "-c",
                                  f"source {self.scripts['fish']}; complete -C '{typed}'")
            return {line.split("\t")[0] for line in lines}
        self.check_cases(complete)

    @needs("zsh")
    def test_completion__works_in_zsh(self):
        """Both ways in which the script gets into a shell: sourced, and by the path of functions."""
        for how in (f"source {self.scripts['zsh']}", None):
            with self.subTest(how=how):
                shell = Zsh(self.folder, os.path.dirname(self.scripts["zsh"]), how)
                self.addCleanup(shell.close)
                self.check_cases(shell.complete)


class Zsh:
    """A shell in a terminal: completion is part of its line editor. A key of our own puts all matches
    into the line, another writes the line to a file."""

    def __init__(self, folder, functions, source):
        self.folder = folder
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(HOME=folder, TERM="dumb", PS1="", ZDOTDIR=folder)
            os.execvp("zsh", ["zsh", "-f", "-i"])
        setup = f"""
            fpath=({functions} $fpath)
            autoload -Uz compinit && compinit -u -D
            {source or ""}
            zstyle ':completion:all-matches::::' completer _all_matches _complete
            zstyle ':completion:all-matches:*' insert true
            zle -C all-matches complete-word _generic
            write-line() {{ print -r -- "$BUFFER" >.line.part; mv .line.part .line; BUFFER= }}
            zle -N write-line
            bindkey '^Xa' all-matches
            bindkey '^Xw' write-line
            touch .ready
        """
        with open(os.path.join(folder, ".setup"), "w", encoding="utf-8") as file:
            file.write(setup)
        self.type("source .setup\n")
        self.wait_for(".ready")

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait_for(self, name):
        """The text of a file that appears, which is then removed."""
        path = os.path.join(self.folder, name)
        end = time.monotonic() + 20
        shown = b""
        while not os.path.exists(path):
            if select.select([self.terminal], [], [], 0.02)[0]:
                shown += os.read(self.terminal, 4096)
            if time.monotonic() > end:
                raise AssertionError("zsh: " + shown.decode(errors="replace"))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.remove(path)
        return text

    def complete(self, typed):
        self.type(typed + "\x18a\x18w")
        words = self.wait_for(".line").split()
        return set(words[len(typed.split()) - 1:])

    def close(self):
        self.type("\x18w\nexit\n")
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


if __name__ == "__main__":
    unittest.main()
