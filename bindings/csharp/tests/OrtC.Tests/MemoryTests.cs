// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using Xunit;

namespace OrtC.Tests;

public unsafe class MemoryTests
{
    [Fact]
    public void Memory_is_described()
    {
        using var first = new MemoryInfo("Cpu", AllocatorType.Device, 0, MemoryUse.Default);
        using var second = MemoryInfo.CreateCpu(AllocatorType.Arena);
        using var third = new MemoryInfo(
            "mine", MemoryInfoDeviceType.Cpu, 0, 1, DeviceMemoryType.HostAccessible, 64,
            AllocatorType.Device);
        Assert.Equal("Cpu", first.Name);
        Assert.Equal(0, first.Id);
        Assert.Equal(MemoryUse.Default, first.Use);
        Assert.Equal(AllocatorType.Device, first.AllocatorType);
        Assert.Equal(MemoryInfoDeviceType.Cpu, first.DeviceType);
        Assert.Equal(DeviceMemoryType.HostAccessible, third.DeviceMemoryType);
        Assert.Equal(0u, third.VendorId);
        Assert.True(first.Equals(MemoryInfo.Cpu));
        Assert.Equal(first.GetHashCode(), MemoryInfo.Cpu.GetHashCode());
        Assert.False(first.Equals(second));
        Assert.False(first.Equals(null));
        Assert.Equal("Cpu 0 (Device)", first.ToString());
        MemoryInfo.Cpu.Dispose();
        Assert.Equal("Cpu", MemoryInfo.Cpu.Name);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => new MemoryInfo("nobody's", AllocatorType.Device, 0, MemoryUse.Default));
    }

    [Fact]
    public void Allocators_hand_out_blocks()
    {
        using var block = Allocator.Default.Allocate(100);
        Assert.Equal(0, block.Pointer % 64);
        Assert.Equal(100, block.Span.Length);
        block.Dispose();
        Assert.Throws<ObjectDisposedException>(() => block.Span.Length);
        Assert.Equal("Cpu", Allocator.Default.MemoryInfo.Name);
        Assert.NotNull(Allocator.Default.GetStatistics());
        Allocator.Default.Dispose();
        Rig.Fails(ErrorCode.RuntimeException,
            () => Allocator.Default.Allocate(nuint.MaxValue / 2));
        using var session = new Session(Rig.Env, Rig.Model("trivial.onnx"));
        using var memory = MemoryInfo.CreateCpu(AllocatorType.Arena);
        using var arena = new Allocator(session, memory);
        arena.Allocate(64).Dispose();
        Assert.NotEmpty(arena.GetStatistics());
    }

    [Fact]
    public void Sessions_share_an_arena()
    {
        using var env = new Env("shared");
        using var memory = MemoryInfo.CreateCpu(AllocatorType.Arena);
        using var config = new ArenaConfig(0, 1, 1024, 1024);
        using var keys = new ArenaConfig(new Dictionary<string, nuint> { ["max_mem"] = 1 << 20 });
        Rig.Fails(ErrorCode.InvalidArgument,
            () => new ArenaConfig(new Dictionary<string, nuint> { ["nothing"] = 1 }));
        env.RegisterAllocator(memory, config);
        env.RegisterAllocator("CPUExecutionProvider", memory, keys);
        Rig.Fails(ErrorCode.InvalidArgument,
            () => env.RegisterAllocator("AotExecutionProvider", memory));
        using var options = new SessionOptions();
        options[SessionConfigKeys.UseEnvAllocators] = "1";
        using (var session = new Session(env, Rig.Model("trivial.onnx"), options))
        {
            Rig.RunFloats(session, Rig.Ones(4), 1, 4);
        }
        using var plain = MemoryInfo.CreateCpu();
        Assert.NotNull(env.GetSharedAllocator(plain) ?? env.GetSharedAllocator(memory));
        env.UnregisterAllocator(memory);
        Rig.Fails(ErrorCode.InvalidArgument, () => env.UnregisterAllocator(memory));
    }

    [Fact]
    public void An_allocator_of_the_program_serves_sessions()
    {
        var mine = new Counting();
        Value y;
        using (var env = new Env("custom"))
        using (var options = new SessionOptions())
        {
            env.RegisterAllocator(mine);
            options[SessionConfigKeys.UseEnvAllocators] = "1";
            using var session = new Session(env, Rig.Model("trivial.onnx"), options);
            using var x = new Tensor<float>(Rig.Ones(4), 1, 4);
            y = session.Run(Rig.Inputs("x", x))["y"];
        }
        mine.Dispose();
        GC.Collect();
        Assert.True(mine.Live > 0);
        Assert.Equal([2f, 2, 2, 2], y.ToArray<float>());
        y.Dispose();
        using (var tensor = Value.Allocate(mine.AllocatorOf(), TensorElementType.Float, 4))
        {
            Assert.NotEqual(0, tensor.DataPointer);
        }
    }

    [Fact]
    public void An_allocator_of_a_session_keeps_the_program_s()
    {
        var mine = new Counting();
        var allocator = AllocatorOfSession(mine);
        mine.Dispose();
        var before = mine.Live;
        var block = allocator.Allocate(64);
        Assert.Equal(before + 1, mine.Live);
        Assert.False(mine.IsGone);
        block.Dispose();
        allocator.Dispose();
        Assert.Equal(before, mine.Live);
        Assert.True(mine.IsGone);
    }

    [Fact]
    public void Outputs_of_a_binding_keep_the_program_s_allocator()
    {
        var mine = new Counting();
        IoBinding binding;
        using (var session = SessionWith(mine))
        {
            binding = new IoBinding(session);
            using var x = new Tensor<float>(Rig.Ones(4), 1, 4);
            binding.BindInput("x", x).BindOutput("y").Run();
        }
        mine.Dispose();
        Assert.True(mine.Live > 0);
        var outputs = binding.GetOutputs();
        binding.Dispose();
        Assert.False(mine.IsGone);
        Assert.Equal([2f, 2, 2, 2], outputs["y"].ToArray<float>());
        outputs.Dispose();
        Assert.True(mine.IsGone);
        Assert.Equal(0, mine.Live);
    }

    private static Allocator AllocatorOfSession(Counting mine)
    {
        using var session = SessionWith(mine);
        using var memory = MemoryInfo.CreateCpu();
        return new Allocator(session, memory);
    }

    /// <summary>All else that knows the allocator ends here.</summary>
    private static Session SessionWith(Counting mine)
    {
        using var env = new Env("custom");
        using var options = new SessionOptions();
        env.RegisterAllocator(mine);
        options[SessionConfigKeys.UseEnvAllocators] = "1";
        return new Session(env, Rig.Model("trivial.onnx"), options);
    }

    [Fact]
    public void What_an_allocator_throws_is_inside_the_failure()
    {
        using var mine = new Counting { Refuses = true };
        var exception = Rig.Fails(ErrorCode.RuntimeException, () => mine.Allocator.Allocate(64));
        Assert.IsType<TimeoutException>(exception.InnerException);
    }

    [Fact]
    public void Tensors_are_copied_into_others()
    {
        using var source = new Tensor<float>([1, 2], 2);
        using var target = Tensor<float>.Allocate(2);
        Rig.Env.CopyTensors([source], [target]);
        Assert.Equal([1f, 2], target.ToArray<float>());
        using var wrong = Tensor<float>.Allocate(3);
        Rig.Fails(ErrorCode.InvalidArgument, () => Rig.Env.CopyTensors([source], [wrong]));
        Assert.Throws<ArgumentException>(() => Rig.Env.CopyTensors([source], []));
    }

    private sealed class Counting : CustomAllocator
    {
        private int _live;

        internal int Live => Volatile.Read(ref _live);

        internal bool Refuses { get; init; }

        /// <summary>Nothing can use it any more.</summary>
        internal bool IsGone => Allocator.Handle.IsClosed;

        internal Allocator AllocatorOf() => new Counting().Allocator;

        protected override nint Allocate(nuint bytes)
        {
            if (Refuses)
            {
                throw new TimeoutException("no memory today");
            }
            Interlocked.Increment(ref _live);
            return (nint)NativeMemory.AlignedAlloc(bytes, 64);
        }

        protected override void Free(nint block)
        {
            Interlocked.Decrement(ref _live);
            NativeMemory.AlignedFree((void*)block);
        }
    }
}
