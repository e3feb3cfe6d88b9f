// SPDX-License-Identifier: MIT
use std::alloc::{alloc, dealloc, Layout};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use ortc::{
    copy_tensors, AllocateMemory, Allocator, AllocatorType, ArenaConfig, DeviceMemoryType, Graph,
    MemType, MemoryDeviceType, MemoryInfo, Model, ProgramAllocator, Session, SyncStream, Tensor,
    Value,
};

use crate::support::{data, env, ones, options, session};

fn cpu() -> MemoryInfo {
    MemoryInfo::cpu(AllocatorType::Device).unwrap()
}

#[test]
fn memory_is_described() {
    let info = MemoryInfo::named("Cpu", AllocatorType::Arena, 0, MemType::CpuOutput).unwrap();
    assert_eq!((info.name().unwrap(), info.device_id().unwrap()), ("Cpu".into(), 0));
    assert_eq!(info.allocator_type().unwrap(), AllocatorType::Arena);
    assert_eq!(info.mem_type().unwrap(), MemType::CPU);
    assert_eq!(info.device_type(), MemoryDeviceType::Cpu);
    assert!(info != cpu() && cpu() == cpu());
    let npu = MemoryInfo::of_device(
        "ours",
        MemoryDeviceType::Npu,
        0x1234,
        2,
        DeviceMemoryType::HostAccessible,
        64,
        AllocatorType::Device,
    )
    .unwrap();
    assert_eq!((npu.vendor_id(), npu.device_id().unwrap()), (0x1234, 2));
    assert_eq!(npu.device_memory_type(), DeviceMemoryType::HostAccessible);
    assert!(format!("{npu:?}").contains("Npu"));
    let nowhere = MemoryInfo::named("Nowhere", AllocatorType::Device, 0, MemType::Default);
    assert!(nowhere.err().unwrap().is_invalid_argument());
}

#[test]
fn blocks_come_from_allocators_and_become_tensors() {
    let allocator = Allocator::cpu().unwrap();
    assert_eq!(*allocator.info().unwrap(), cpu());
    assert!(allocator.stats().unwrap().get("no such figure").is_none());
    let block = allocator.allocate(16).unwrap();
    assert_eq!((block.len(), block.is_empty()), (16, false));
    let address = block.as_ptr();
    // SAFETY: the block has as many bytes.
    unsafe { address.cast::<f32>().copy_from([1.0, 2.0, 3.0, 4.0].as_ptr(), 4) };
    // SAFETY: it was written.
    let tensor = unsafe { Tensor::<f32>::from_block([4], block) }.unwrap();
    assert_eq!(
        (tensor.data(), tensor.data().as_ptr()),
        (&[1.0, 2.0, 3.0, 4.0][..], address.cast::<f32>() as *const f32)
    );
    let block = allocator.allocate(4).unwrap();
    // SAFETY: refused before anybody looks.
    let error = unsafe { Tensor::<f32>::from_block([4], block) }.err().unwrap();
    assert!(error.is_invalid_argument());
    assert!(allocator.allocate(1 << 46).is_err());
    assert!(format!("{allocator:?}").contains("Cpu"));
}

#[test]
fn sessions_have_allocators() {
    let session = session(data("matmul.onnx"));
    let arena = session.allocator(&MemoryInfo::cpu(AllocatorType::Arena).unwrap()).unwrap();
    drop(session);
    let tensor = Tensor::<f32>::zeros_in(&arena, [2, 2]).unwrap();
    let block = arena.allocate(100).unwrap();
    assert!(arena.stats().unwrap().get("InUse").is_some());
    drop(arena);
    assert_eq!(tensor.data(), [0.0; 4]);
    drop(block);
}

/// An allocator of the program that counts.
#[derive(Default)]
struct Counting {
    given: Arc<AtomicUsize>,
    taken: Arc<AtomicUsize>,
}

const HEAD: usize = 64;

// SAFETY: blocks are those of Rust's allocator, behind a head that has their size.
unsafe impl AllocateMemory for Counting {
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(bytes.checked_add(HEAD)?, HEAD).ok()?;
        // SAFETY: the size is not zero.
        let block = NonNull::new(unsafe { alloc(layout) })?;
        self.given.fetch_add(1, Ordering::Relaxed);
        // SAFETY: there is room for the head.
        unsafe {
            block.as_ptr().cast::<usize>().write(bytes);
            Some(NonNull::new_unchecked(block.as_ptr().add(HEAD)))
        }
    }

    unsafe fn free(&self, block: NonNull<u8>) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as `allocate` made it.
        unsafe {
            let start = block.as_ptr().sub(HEAD);
            let bytes = start.cast::<usize>().read();
            dealloc(start, Layout::from_size_align_unchecked(bytes + HEAD, HEAD));
        }
    }

    fn stats(&self) -> Vec<(String, String)> {
        vec![("NumAllocs".into(), self.given.load(Ordering::Relaxed).to_string())]
    }
}

#[test]
fn the_program_s_allocator_serves_values_and_sessions() {
    let counting = Counting::default();
    let (given, taken) = (counting.given.clone(), counting.taken.clone());
    let allocator = ProgramAllocator::new(counting).unwrap();
    {
        let tensor = Tensor::<f32>::zeros_in(&allocator.as_allocator(), [100]).unwrap();
        assert_eq!(given.load(Ordering::Relaxed), 1);
        let stats = allocator.as_allocator().stats().unwrap();
        assert_eq!(stats.get("NumAllocs").as_deref(), Some("1"));
        drop(tensor);
        drop(allocator.as_allocator().allocate(10).unwrap());
    }
    let env = env();
    env.register_allocator(&allocator).unwrap();
    let found = env.shared_allocator(&cpu()).unwrap().expect("registered");
    drop(allocator);
    let mut options = options();
    options.set("session.use_env_allocators", "1").unwrap();
    let session = Session::new(&env, data("matmul.onnx"), &options).unwrap();
    let before = given.load(Ordering::Relaxed);
    let outputs = session.run(&[("x", &ones(4))]).unwrap();
    assert!(given.load(Ordering::Relaxed) > before, "the result is in memory of the program");
    env.unregister_allocator(&cpu()).unwrap();
    assert!(env.unregister_allocator(&cpu()).unwrap_err().is_invalid_argument());
    let taken_before = given.load(Ordering::Relaxed);
    let standard = env.shared_allocator(&cpu()).unwrap().expect("the library's own stands in");
    drop(standard.allocate(10).unwrap());
    assert_eq!(given.load(Ordering::Relaxed), taken_before);
    drop((env, found, session));
    assert_eq!(outputs["y"].data::<f32>().unwrap().len(), 3, "values keep the allocator");
    drop(outputs);
    assert_eq!(given.load(Ordering::Relaxed), taken.load(Ordering::Relaxed));
}

#[test]
fn models_keep_the_allocator_of_initializers() {
    let counting = Counting::default();
    let (given, taken) = (counting.given.clone(), counting.taken.clone());
    let mut graph = Graph::new().unwrap();
    {
        let program = ProgramAllocator::new(counting).unwrap();
        let tensor = Tensor::<f32>::zeros_in(&program.as_allocator(), [4]).unwrap();
        graph.add_initializer("w", tensor).unwrap();
    }
    assert_eq!(Arc::strong_count(&given), 2, "the allocator of the program is there");
    let model = Model::new(&[("", 17)], graph).unwrap();
    assert_eq!(Arc::strong_count(&given), 2);
    drop(model);
    assert_eq!(given.load(Ordering::Relaxed), taken.load(Ordering::Relaxed));
    assert_eq!(Arc::strong_count(&given), 1);
}

#[test]
fn an_allocator_of_a_session_keeps_the_program_s() {
    let counting = Counting::default();
    let (given, taken) = (counting.given.clone(), counting.taken.clone());
    let allocator = {
        let program = ProgramAllocator::new(counting).unwrap();
        let env = env();
        env.register_allocator(&program).unwrap();
        let mut options = options();
        options.set("session.use_env_allocators", "1").unwrap();
        let session = Session::new(&env, data("matmul.onnx"), &options).unwrap();
        session.allocator(&cpu()).unwrap()
    };
    assert_eq!(Arc::strong_count(&given), 2, "the allocator of the program is there");
    let before = given.load(Ordering::Relaxed);
    let block = allocator.allocate(64).unwrap();
    assert_eq!(given.load(Ordering::Relaxed), before + 1);
    let tensor = Tensor::<f32>::zeros_in(&allocator, [4]).unwrap();
    drop(allocator);
    drop(block);
    assert_eq!(tensor.data(), [0.0; 4]);
    drop(tensor);
    assert_eq!(given.load(Ordering::Relaxed), taken.load(Ordering::Relaxed));
    assert_eq!(Arc::strong_count(&given), 1, "nothing keeps it any more");
}

#[test]
fn an_allocator_that_panics_has_no_memory() {
    struct Panics;
    // SAFETY: it never gives a block.
    unsafe impl AllocateMemory for Panics {
        fn allocate(&self, _: usize) -> Option<NonNull<u8>> {
            std::panic::resume_unwind(Box::new("no"))
        }
        unsafe fn free(&self, _: NonNull<u8>) {}
    }
    let allocator = ProgramAllocator::new(Panics).unwrap();
    assert!(Tensor::<f32>::zeros_in(&allocator.as_allocator(), [4]).is_err());
    assert!(allocator.as_allocator().allocate(4).is_err());
}

#[test]
fn arenas_are_made_for_an_environment() {
    let env = env();
    let arena = ArenaConfig::new(0, -1, -1, -1).unwrap();
    let memory = MemoryInfo::cpu(AllocatorType::Arena).unwrap();
    env.create_allocator(&memory, Some(&arena)).unwrap();
    let keys = ArenaConfig::from_keys(&[("max_mem", 1 << 20)]).unwrap();
    env.create_provider_allocator("CPUExecutionProvider", &memory, Some(&keys), &[]).unwrap();
    assert!(env.create_provider_allocator("Nobody", &memory, None, &[]).is_err());
    assert!(ArenaConfig::from_keys(&[("no_key", 1)]).err().unwrap().is_invalid_argument());
    let shared = env.shared_allocator(&memory).unwrap().expect("an arena");
    drop(env);
    assert!(shared.allocate(1 << 10).is_ok());
    assert!(shared.allocate(1 << 22).is_err(), "more than the arena may take");
}

#[test]
fn devices_of_this_library_have_no_memory_and_no_streams() {
    let env = env();
    let device = &env.ep_devices().unwrap()[0];
    let kind = DeviceMemoryType::Default;
    let made = env.create_shared_allocator(device, kind, AllocatorType::Device, None);
    assert!(made.unwrap_err().is_invalid_argument());
    assert!(env.release_shared_allocator(device, kind).unwrap_err().is_invalid_argument());
    assert!(SyncStream::new(device, None).unwrap_err().is_invalid_argument());
    assert!(SyncStream::cpu().handle().is_null());
}

#[test]
fn tensors_are_copied() {
    let env = env();
    let source = Tensor::from_vec([2], vec![1.0f32, 2.0]).unwrap();
    let flags = Tensor::from_vec([2], vec![true, false]).unwrap();
    let mut target = Tensor::<f32>::zeros([2]).unwrap();
    let mut copy = Tensor::from_vec([2], vec![false, false]).unwrap();
    let stream = SyncStream::cpu();
    let mut targets = [(&mut target).into(), (&mut copy).into()];
    copy_tensors(&env, &[&source, &flags], &mut targets, &stream).unwrap();
    assert_eq!((target.data(), copy.data()), (source.data(), flags.data()));
    let mut other: Value = Tensor::<f64>::zeros([2]).unwrap().into();
    let error = copy_tensors(&env, &[&source], &mut [(&mut other).into()], &stream).unwrap_err();
    assert!(error.is_invalid_argument());
    assert!(copy_tensors(&env, &[&source], &mut [], &stream).unwrap_err().is_invalid_argument());
    assert!(copy_tensors(&env, &[], &mut [], &stream).unwrap_err().is_invalid_argument());
}
