// SPDX-License-Identifier: MIT
//! Memory and semaphores of the program on a device: a file, and eventfds.

use std::fs::File;
use std::io::{Read, Write};
use std::os::raw::{c_int, c_uint};
use std::os::unix::fs::FileExt;
use std::os::unix::io::{AsRawFd, FromRawFd};
use std::ptr::null_mut;

use ortc::{
    ElementType, Env, EpDevice, ErrorCode, ExternalMemory, ExternalMemoryType as Memory,
    ExternalResourceImporter, ExternalSemaphoreType as Semaphore, GraphicsApi, KeyValuePairs,
    RunOptions, Session, SyncStream, Tensor, Value,
};

use crate::support::{env, model, options, Folder};

const SIZE: usize = 4096;
const FILE: Memory = Memory::VkMemoryOpaqueFd;
const EVENT: Semaphore = Semaphore::VkTimelineSemaphoreOpaqueFd;

extern "C" {
    fn eventfd(initval: c_uint, flags: c_int) -> c_int;
}

/// A semaphore of the program.
fn counter() -> File {
    // SAFETY: a new descriptor, which the file owns.
    unsafe {
        let file = eventfd(0, 0);
        assert!(file >= 0);
        File::from_raw_fd(file)
    }
}

/// Memory of the program, which it reads and writes as a file.
fn memory(folder: &Folder) -> File {
    let mut open = std::fs::OpenOptions::new();
    let file = open.read(true).write(true).create(true).open(folder.join("memory")).unwrap();
    file.set_len(SIZE as u64).unwrap();
    file
}

fn write(file: &File, place: u64, floats: [f32; 4]) {
    let bytes: Vec<u8> = floats.iter().flat_map(|number| number.to_ne_bytes()).collect();
    file.write_all_at(&bytes, place).unwrap();
}

fn read(file: &File, place: u64) -> Vec<f32> {
    let mut bytes = [0; 16];
    file.read_exact_at(&mut bytes, place).unwrap();
    bytes.chunks(4).map(|four| f32::from_ne_bytes(four.try_into().unwrap())).collect()
}

fn device(env: &Env) -> EpDevice {
    let path = std::env::var_os("ORTC_DEVICE_LIBRARY").expect("a library with memory of its own");
    // SAFETY: the project's own sample library.
    unsafe { env.register_provider_library("device.virtual", path) }.unwrap();
    env.ep_devices().unwrap().pop().unwrap()
}

fn import(importer: &mut ExternalResourceImporter, file: &File, offset: usize) -> ExternalMemory {
    // SAFETY: a file of that size, as `memory` makes it.
    unsafe { importer.import_memory(FILE, file.as_raw_fd(), SIZE, offset) }.unwrap()
}

fn four_floats(
    importer: &mut ExternalResourceImporter,
    memory: &ExternalMemory,
    offset: usize,
) -> ortc::Result<Value> {
    // SAFETY: each test lets one side at a time use the memory.
    unsafe { importer.create_tensor(memory, [1, 4], ElementType::Float, offset) }
}

fn session(env: &Env, device: &EpDevice) -> Session {
    let mut options = options();
    options.add_provider_for_devices(std::slice::from_ref(device), &[]).unwrap();
    Session::new(env, model("trivial.onnx"), &options).unwrap()
}

#[test]
fn a_session_works_in_memory_of_the_program_without_a_copy() {
    let (env, folder) = (env(), Folder::new());
    let (device, file) = (device(&env), memory(&folder));
    let mut importer = ExternalResourceImporter::new(&device).unwrap();
    let memory = import(&mut importer, &file, 256);
    assert_eq!((memory.memory_type(), memory.byte_len()), (FILE, SIZE - 256));
    let x = four_floats(&mut importer, &memory, 0).unwrap();
    let mut y = four_floats(&mut importer, &memory, 64).unwrap();
    assert!(x.data::<f32>().unwrap_err().message().contains("of a device"));
    drop((importer, memory)); // the tensors keep what they need
    let session = session(&env, &device);
    drop(env);
    let mut binding = session.bind().unwrap();
    binding.bind_input("x", &x).unwrap();
    binding.bind_output("y", &mut y).unwrap();
    write(&file, 256, [0.0, 1.0, 2.0, 3.0]);
    binding.run(None).unwrap();
    assert_eq!(read(&file, 320), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_stream_waits_for_the_program_and_tells_it_when_it_has() {
    let (env, folder) = (env(), Folder::new());
    let (device, file) = (device(&env), memory(&folder));
    let (ready, mut done) = (counter(), counter());
    let mut importer = ExternalResourceImporter::new(&device).unwrap();
    let memory = import(&mut importer, &file, 0);
    let x = four_floats(&mut importer, &memory, 0).unwrap();
    // SAFETY: both are eventfds.
    let semaphore = |importer: &mut ExternalResourceImporter, file: &File| unsafe {
        importer.import_semaphore(EVENT, file.as_raw_fd()).unwrap()
    };
    let (begin, end) = (semaphore(&mut importer, &ready), semaphore(&mut importer, &done));
    assert_eq!(begin.semaphore_type(), EVENT);
    let stream = SyncStream::new(&device, None).unwrap();
    importer.wait(&begin, &stream, 2).unwrap();
    importer.wait(&begin, &stream, 3).unwrap();
    importer.signal(&end, &stream, 5).unwrap();
    let mut with_stream = RunOptions::new().unwrap();
    with_stream.set_sync_stream(&stream).unwrap();
    drop((begin, end, stream)); // the stream keeps both, and the options keep the stream
    let program = std::thread::spawn(move || {
        (&ready).write_all(&1u64.to_ne_bytes()).unwrap();
        write(&file, 0, [0.0, 1.0, 2.0, 3.0]);
        (&ready).write_all(&2u64.to_ne_bytes()).unwrap();
    });
    let session = session(&env, &device);
    let outputs = session.run_with(&with_stream, &[("x", &x)]).unwrap();
    program.join().unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    let mut signalled = [0; 8];
    done.read_exact(&mut signalled).unwrap();
    assert_eq!(u64::from_ne_bytes(signalled), 5);
}

#[test]
fn an_importer_says_what_it_can_import() {
    let env = env();
    let importer = ExternalResourceImporter::new(&device(&env)).unwrap();
    assert!(importer.can_import_memory(FILE).unwrap());
    assert!(!importer.can_import_memory(Memory::D3D12Heap).unwrap());
    assert!(importer.can_import_semaphore(EVENT).unwrap());
    assert!(!importer.can_import_semaphore(Semaphore::D3D12Fence).unwrap());
}

#[test]
fn what_does_not_fit_is_refused() {
    let (env, folder) = (env(), Folder::new());
    let (device, file) = (device(&env), memory(&folder));
    let mut importer = ExternalResourceImporter::new(&device).unwrap();
    let number = file.as_raw_fd();
    for (kind, handle, size, offset, text) in [
        (FILE, number, SIZE, SIZE + 1, "'offset_bytes' is 4097"),
        (FILE, number, 2 * SIZE, 0, "cannot be mapped"),
        (FILE, -1, SIZE, 0, "not an open file"),
        (Memory::D3D12Heap, number, SIZE, 0, "file descriptors only"),
    ] {
        // SAFETY: what is not of that type or size is refused.
        let error = unsafe { importer.import_memory(kind, handle, size, offset) }.unwrap_err();
        assert!(error.is_invalid_argument() && error.message().contains(text), "{error}");
    }
    let memory = import(&mut importer, &file, 0);
    let error = four_floats(&mut importer, &memory, SIZE - 8).unwrap_err();
    assert!(error.message().contains("takes 16 bytes; the imported memory has"), "{error}");
    // SAFETY: it is refused.
    let texts = unsafe { importer.create_tensor(&memory, [1], ElementType::String, 0) };
    assert!(texts.unwrap_err().message().contains("strings"));
    // SAFETY: it is refused.
    let fence = unsafe { importer.import_semaphore(Semaphore::D3D12Fence, null_mut()) };
    assert!(fence.unwrap_err().message().contains("file descriptors only"));
    // SAFETY: an eventfd.
    let semaphore = unsafe { importer.import_semaphore(EVENT, counter().as_raw_fd()) }.unwrap();
    let error = importer.wait(&semaphore, &SyncStream::cpu(), 1).unwrap_err();
    assert!(error.is_invalid_argument() && error.message().contains("stream"), "{error}");
}

#[test]
fn a_provider_that_imports_nothing_is_named() {
    let env = env();
    let device = device(&env);
    let aot = &env.ep_devices().unwrap()[0];
    let error = ExternalResourceImporter::new(aot).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotImplemented);
    assert!(error.message().contains(&format!("{} imports no memory", aot.ep_name())), "{error}");
    let pairs = KeyValuePairs::new();
    // SAFETY: there is no queue.
    let begun =
        unsafe { device.init_graphics_interop(GraphicsApi::Vulkan, null_mut(), Some(&pairs)) };
    let error = begun.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotImplemented);
    assert!(error.message().contains("InitGraphicsInterop"), "{error}");
    let error = aot.deinit_graphics_interop().unwrap_err();
    assert!(error.message().contains(&aot.ep_name()), "{error}");
    let x = Tensor::from_slice([1, 4], &[0.0f32, 1.0, 2.0, 3.0]).unwrap();
    let outputs = session(&env, &device).run(&[("x", &x)]).unwrap();
    assert_eq!(outputs["y"].data::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}
