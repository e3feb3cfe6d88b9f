module github.com/ortc/ortc/bindings/go

go 1.19
