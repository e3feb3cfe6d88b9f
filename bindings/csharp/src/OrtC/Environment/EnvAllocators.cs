// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Allocators that the sessions of an environment share, and copies between memories.
/// </summary>
public static unsafe class EnvAllocators
{
    /// <summary>
    /// Makes an allocator and registers it, in place of one that is there: sessions with
    /// <see cref="SessionConfigKeys.UseEnvAllocators"/> take the memory of their results from it.
    /// </summary>
    /// <param name="env">Sessions that exist keep what they have.</param>
    /// <param name="memory">With <see cref="AllocatorType.Arena"/> an arena is made.</param>
    /// <param name="arena">Null: the defaults.</param>
    public static void RegisterAllocator(
        this Env env, MemoryInfo memory, ArenaConfig? arena = null) =>
        Native.OrtCreateAndRegisterAllocator(
            env.Handle, memory.Handle, arena?.Handle ?? ArenaCfgHandle.None);

    /// <summary>The same for one execution provider, as "CPUExecutionProvider".</summary>
    /// <exception cref="OrtArgumentException">
    /// The provider has no such memory or option.
    /// </exception>
    public static void RegisterAllocator(
        this Env env,
        string providerName,
        MemoryInfo memory,
        ArenaConfig? arena = null,
        IReadOnlyDictionary<string, string>? providerOptions = null)
    {
        using var keys = new Utf8Array(providerOptions?.Keys.ToArray() ?? []);
        using var values = new Utf8Array(providerOptions?.Values.ToArray() ?? []);
        Native.OrtCreateAndRegisterAllocatorV2(
            env.Handle, providerName, memory.Handle, arena?.Handle ?? ArenaCfgHandle.None,
            keys.Pointer, values.Pointer, keys.Count);
    }

    /// <summary>
    /// Registers an allocator of the program, in place of one that is there for the same memory.
    /// The environment, its sessions and their results keep it alive.
    /// </summary>
    public static void RegisterAllocator(this Env env, CustomAllocator allocator)
    {
        Native.OrtRegisterAllocator(env.Handle, allocator.Allocator.Handle);
        env.Handle.HoldOwner(allocator.Allocator.Handle);
        env.HasCustomAllocators = true;
    }

    /// <summary>Takes a registered allocator away. Sessions that use it keep it.</summary>
    /// <exception cref="OrtArgumentException">There is none for this memory.</exception>
    public static void UnregisterAllocator(this Env env, MemoryInfo memory) =>
        Native.OrtUnregisterAllocator(env.Handle, memory.Handle);

    /// <summary>
    /// Looks for a registered allocator; null when there is none. For plain memory of the processor
    /// the default one stands in.
    /// </summary>
    public static Allocator? GetSharedAllocator(this Env env, MemoryInfo memory)
    {
        Native.OrtGetSharedAllocator(env.Handle, memory.Handle, out var allocator);
        return Borrow(env, allocator);
    }

    /// <summary>Makes the allocator of a device and registers it.</summary>
    /// <exception cref="OrtArgumentException">The device has no memory of its own.</exception>
    public static Allocator? CreateSharedAllocator(
        this Env env,
        EpDevice device,
        DeviceMemoryType memory,
        AllocatorType type,
        KeyValuePairs? options = null)
    {
        Native.OrtCreateSharedAllocator(
            env.Handle, device.Handle, memory, type,
            options?.Handle ?? KeyValuePairsHandle.None, out var allocator);
        return Borrow(env, allocator);
    }

    /// <summary>Takes the allocator of a device away.</summary>
    /// <exception cref="OrtArgumentException">The device has no memory of its own.</exception>
    public static void ReleaseSharedAllocator(
        this Env env, EpDevice device, DeviceMemoryType memory) =>
        Native.OrtReleaseSharedAllocator(env.Handle, device.Handle, memory);

    /// <summary>Copies the elements of tensors into others of the same type and shape.</summary>
    /// <exception cref="OrtArgumentException">
    /// Types, shapes or memories do not fit; some targets may be filled already.
    /// </exception>
    public static void CopyTensors(
        this Env env,
        IReadOnlyCollection<Value> sources,
        IReadOnlyCollection<Value> targets,
        SyncStream? stream = null)
    {
        if (sources.Count != targets.Count)
        {
            throw new ArgumentException("There must be a target for each source.", nameof(targets));
        }
        using var from = new HandleArray(sources.Select(value => value.Handle).ToArray());
        using var to = new HandleArray(targets.Select(value => value.Handle).ToArray());
        using var none = SyncStream.None;
        Native.OrtCopyTensors(
            env.Handle, from.Pointer, to.Pointer, (stream ?? none).Handle, from.Count);
    }

    // The environment's: what the handle was made with would release it.
    private static Allocator? Borrow(Env env, AllocatorHandle allocator)
    {
        if (allocator.IsInvalid)
        {
            return null;
        }
        allocator.GiveAway(env.Handle);
        return new Allocator(allocator);
    }
}
