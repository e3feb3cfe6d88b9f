#!/bin/bash
# SPDX-License-Identifier: MIT
# Uses the package as programs do: by `replace`, through a proxy of files, and vendored.
# consumer.sh FOLDER; the folder is made anew. test.sh sets the rest.
set -euo pipefail
package=$(cd "$(dirname "$0")/.." && pwd)
path=github.com/ortc/ortc/bindings/go
here=$1
chmod -R u+w "$here" 2>/dev/null || true
rm -rf "$here"
mkdir -p "$here/program" "$here/proxy/$path/@v"

# The module as a proxy serves it: list, information, go.mod, and a zip of the files.
python3 - "$package" "$here/proxy/$path/@v" "$path@v1.0.0" <<'END'
import pathlib, sys, zipfile
source, target, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
(target / "list").write_text("v1.0.0\n")
(target / "v1.0.0.info").write_text('{"Version": "v1.0.0"}')
(target / "v1.0.0.mod").write_bytes((source / "go.mod").read_bytes())
with zipfile.ZipFile(target / "v1.0.0.zip", "w") as archive:
    for file in sorted(source.rglob("*")):
        if file.is_file():
            archive.write(file, f"{prefix}/{file.relative_to(source)}")
END

cd "$here/program"
cat >main.go <<'END'
package main

import (
	"fmt"

	ortc "github.com/ortc/ortc/bindings/go"
)

func main() {
	env, err := ortc.NewEnv("consumer")
	if err != nil {
		panic(err)
	}
	defer env.Close()
	fmt.Println("ort_c", ortc.LibraryVersion())
}
END
go_mod() { printf 'module example.org/program\n\ngo 1.19\n\n%s\n' "$1" >go.mod; rm -f go.sum; }
says() { [[ "$("$@")" == "ort_c 1."* ]] || { echo "consumer.sh: $* failed" >&2; exit 1; }; }

go_mod "require $path v1.0.0

replace $path => $package"
GOFLAGS=-mod=mod says go run .

go_mod "require $path v1.0.0"
export GOPROXY=file://$here/proxy GONOSUMDB=* GOFLAGS="-mod=mod -modcacherw" GOPATH=$here/gopath
says go run .
go mod vendor
rm -rf "$here/gopath" # what is vendored needs nothing else
GOPROXY=off GOFLAGS=-mod=vendor says go run .
echo "go: replace, proxy and vendor work"
