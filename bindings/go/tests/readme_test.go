// SPDX-License-Identifier: MIT

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodeOfTheReadmeStandsInProgramsThatAreRun(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	ok(t, err)
	programs, err := filepath.Glob("../samples/*/main.go")
	ok(t, err)
	var code strings.Builder
	for _, path := range append(programs, "../example_test.go") {
		text, err := os.ReadFile(path)
		ok(t, err)
		code.Write(text)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	isTrue(t, len(blocks) > 5, "the README has no code")
	for _, block := range blocks {
		text, _, isClosed := strings.Cut(block, "```")
		isTrue(t, isClosed && strings.Contains(code.String(), text), "nothing runs this:\n"+text)
	}
}

func TestReadmeNamesNothingThatIsNotThere(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	ok(t, err)
	sources, err := filepath.Glob("../*.go")
	ok(t, err)
	var code strings.Builder
	for _, path := range sources {
		text, err := os.ReadFile(path)
		ok(t, err)
		code.Write(text)
	}
	names := 0
	for i, part := range strings.Split(string(readme), "`") {
		name := strings.TrimSuffix(part[strings.LastIndex(part, ".")+1:], "()")
		isName := i%2 == 1 && name != "" && name[0] >= 'A' && name[0] <= 'Z' && !strings.ContainsAny(name,
			" /=_*:")
		if !isName {
			continue
		}
		names++
		isTrue(t, strings.Contains(code.String(), name), "there is no "+part)
	}
	isTrue(t, names > 20, "the README names too little to be read right")
}
