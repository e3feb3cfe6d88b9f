// SPDX-License-Identifier: MIT

package tests

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	ortc "github.com/ortc/ortc/bindings/go"
)

const (
	memorySize = 4096
	fileMemory = ortc.ExternalMemoryTypeVkMemoryOpaqueFD
	eventFile  = ortc.ExternalSemaphoreTypeVkTimelineSemaphoreOpaqueFD
)

// memoryFile is memory of the program, which it reads and writes as a file.
type memoryFile struct {
	*os.File
	t *testing.T
}

func newMemoryFile(t *testing.T) memoryFile {
	file, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	ok(t, err)
	ok(t, file.Truncate(memorySize))
	return memoryFile{closing(t, file), t}
}

func (f memoryFile) put(place int64, numbers ...float32) {
	bytes := make([]byte, 4*len(numbers))
	for i, number := range numbers {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(number))
	}
	_, err := f.WriteAt(bytes, place)
	ok(f.t, err)
}

func (f memoryFile) get(place int64, count int) []float32 {
	bytes, numbers := make([]byte, 4*count), make([]float32, count)
	_, err := f.ReadAt(bytes, place)
	ok(f.t, err)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return numbers
}

// newCounter is a semaphore of the program.
func newCounter(t *testing.T) *os.File {
	number, _, failure := syscall.Syscall(syscall.SYS_EVENTFD2, 0, 0, 0)
	equal(t, failure, 0)
	return closing(t, os.NewFile(number, "eventfd"))
}

func add(t *testing.T, counter *os.File, value uint64) {
	bytes := make([]byte, 8)
	binary.LittleEndian.PutUint64(bytes, value)
	_, err := counter.Write(bytes)
	ok(t, err)
}

// newDevice registers the sample library with memory of its own.
func newDevice(t *testing.T, env *ortc.Env) *ortc.EpDevice {
	ok(t, env.RegisterProviderLibrary("device.virtual", os.Getenv("ORTC_DEVICE_LIBRARY")))
	devices, err := env.EpDevices()
	ok(t, err)
	return devices[len(devices)-1]
}

func newImporter(t *testing.T, device *ortc.EpDevice) *ortc.ExternalResourceImporter {
	importer, err := ortc.NewExternalResourceImporter(device)
	ok(t, err)
	return closing(t, importer)
}

func trivialOn(t *testing.T, env *ortc.Env, device *ortc.EpDevice) *ortc.Session {
	options := newOptions(t)
	ok(t, options.AddDevices([]*ortc.EpDevice{device}, nil))
	return newSession(t, env, model(t, "trivial.onnx"), options)
}

func fourFloats(t *testing.T, importer *ortc.ExternalResourceImporter, memory *ortc.ExternalMemory,
	offset int) *ortc.Value {
	value, err := importer.NewTensor(memory, ortc.ElementTypeFloat, offset, 1, 4)
	ok(t, err)
	return closing(t, value)
}

func TestSessionWorksInMemoryOfTheProgramWithoutACopy(t *testing.T) {
	env, file := newEnv(t), newMemoryFile(t)
	device := newDevice(t, env)
	importer := newImporter(t, device)
	memory, err := importer.ImportMemory(fileMemory, file.Fd(), memorySize, 256)
	ok(t, err)
	isTrue(t, memory.Type == fileMemory && memory.Size == memorySize-256, "a wrong size")
	x, y := fourFloats(t, importer, memory, 0), fourFloats(t, importer, memory, 64)
	_, err = x.Bytes()
	fails(t, err, ortc.ErrInvalidArgument, "device")
	ok(t, importer.Close())
	ok(t, memory.Close()) // the tensors keep what they need
	ok(t, memory.Close())
	binding, err := trivialOn(t, env, device).NewIoBinding()
	ok(t, err)
	closing(t, binding)
	ok(t, binding.BindInput("x", x))
	ok(t, binding.BindOutput("y", y))
	file.put(256, 0, 1, 2, 3)
	ok(t, binding.Run(background, nil))
	equalLists(t, file.get(320, 4), []float32{1, 2, 3, 4})
}

func TestStreamWaitsForTheProgramAndTellsItWhenItHas(t *testing.T) {
	env, file := newEnv(t), newMemoryFile(t)
	ready, done := newCounter(t), newCounter(t)
	device := newDevice(t, env)
	importer := newImporter(t, device)
	memory, err := importer.ImportMemory(fileMemory, file.Fd(), memorySize, 0)
	ok(t, err)
	x := fourFloats(t, importer, closing(t, memory), 0)
	begin, err := importer.ImportSemaphore(eventFile, ready.Fd())
	ok(t, err)
	end, err := importer.ImportSemaphore(eventFile, done.Fd())
	ok(t, err)
	equal(t, end.Type, eventFile)
	stream, err := ortc.NewSyncStream(device, nil)
	ok(t, err)
	ok(t, importer.Wait(begin, stream, 2))
	ok(t, importer.Wait(begin, stream, 3))
	ok(t, importer.Signal(end, stream, 5))
	options, err := ortc.NewRunOptions()
	ok(t, err)
	ok(t, options.SetSyncStream(stream))
	ok(t, begin.Close()) // the stream keeps both, and the options keep the stream
	ok(t, end.Close())
	ok(t, stream.Close())
	program := make(chan struct{})
	go func() {
		defer close(program)
		add(t, ready, 1)
		file.put(0, 0, 1, 2, 3)
		add(t, ready, 2)
	}()
	outputs, err := trivialOn(t, env, device).RunWith(withCancel(t), options, ortc.Values{"x": x})
	<-program
	ok(t, err)
	equalLists(t, floatsIn(t, outputs["y"]), []float32{1, 2, 3, 4})
	ok(t, outputs.Close())
	signalled := make([]byte, 8)
	_, err = done.Read(signalled)
	ok(t, err)
	equal(t, binary.LittleEndian.Uint64(signalled), 5)
	ok(t, options.SetSyncStream(nil))
	ok(t, options.Close())
}

func TestImporterSaysWhatItCanImport(t *testing.T) {
	importer := newImporter(t, newDevice(t, newEnv(t)))
	for kind, expected := range map[ortc.ExternalMemoryType]bool{
		fileMemory: true, ortc.ExternalMemoryTypeD3D12Heap: false} {
		can, err := importer.CanImportMemory(kind)
		ok(t, err)
		equal(t, can, expected)
	}
	for kind, expected := range map[ortc.ExternalSemaphoreType]bool{
		eventFile: true, ortc.ExternalSemaphoreTypeD3D12Fence: false} {
		can, err := importer.CanImportSemaphore(kind)
		ok(t, err)
		equal(t, can, expected)
	}
}

func TestImportsThatDoNotFitAreRefused(t *testing.T) {
	env, file := newEnv(t), newMemoryFile(t)
	device := newDevice(t, env)
	importer := newImporter(t, device)
	for _, one := range []struct {
		kind         ortc.ExternalMemoryType
		handle       uintptr
		size, offset int
		text         string
	}{
		{fileMemory, file.Fd(), memorySize, memorySize + 1, "'offset_bytes' is 4097"},
		{fileMemory, file.Fd(), 2 * memorySize, 0, "cannot be mapped"},
		{fileMemory, ^uintptr(0), memorySize, 0, "not an open file"},
		{fileMemory, file.Fd(), -1, 0, "below 0"},
		{ortc.ExternalMemoryTypeD3D12Heap, file.Fd(), memorySize, 0, "file descriptors only"},
	} {
		_, err := importer.ImportMemory(one.kind, one.handle, one.size, one.offset)
		fails(t, err, ortc.ErrInvalidArgument, one.text)
	}
	memory, err := importer.ImportMemory(fileMemory, file.Fd(), memorySize, 0)
	ok(t, err)
	refused := func(memory *ortc.ExternalMemory, element ortc.ElementType, offset int, text string) {
		t.Helper()
		_, err := importer.NewTensor(memory, element, offset, 1, 4)
		fails(t, err, ortc.ErrInvalidArgument, text)
	}
	refused(memory, ortc.ElementTypeFloat, memorySize-8, "takes 16 bytes; the imported memory has")
	refused(memory, ortc.ElementTypeString, 0, "strings")
	refused(memory, ortc.ElementTypeFloat, -4, "below 0")
	refused(nil, ortc.ElementTypeFloat, 0, "nil")
	ok(t, memory.Close())
	refused(memory, ortc.ElementTypeFloat, 0, "closed")
	_, err = importer.ImportSemaphore(ortc.ExternalSemaphoreTypeD3D12Fence, file.Fd())
	fails(t, err, ortc.ErrInvalidArgument, "file descriptors only")
	semaphore, err := importer.ImportSemaphore(eventFile, newCounter(t).Fd())
	ok(t, err)
	fails(t, importer.Wait(semaphore, nil, 1), ortc.ErrInvalidArgument, "stream")
	fails(t, importer.Signal(nil, nil, 1), ortc.ErrInvalidArgument, "nil")
	ok(t, semaphore.Close())
	fails(t, importer.Wait(semaphore, nil, 1), ortc.ErrClosed, "closed")
	ok(t, importer.Close())
	_, err = importer.CanImportMemory(fileMemory)
	fails(t, err, ortc.ErrClosed, "closed")
}

func TestProviderThatImportsNothingIsNamed(t *testing.T) {
	env := newEnv(t)
	device := newDevice(t, env)
	devices, err := env.EpDevices()
	ok(t, err)
	aot := devices[0]
	_, err = ortc.NewExternalResourceImporter(aot)
	fails(t, err, ortc.ErrNotImplemented, aot.EpName+" imports no memory")
	_, err = ortc.NewExternalResourceImporter(nil)
	fails(t, err, ortc.ErrInvalidArgument, "not one of")
	fails(t, device.InitGraphicsInterop(ortc.GraphicsAPIVulkan, nil, nil),
		ortc.ErrNotImplemented, "InitGraphicsInterop")
	fails(t, aot.DeinitGraphicsInterop(), ortc.ErrNotImplemented, aot.EpName)
	runTrivial(t, trivialOn(t, env, device))
}
