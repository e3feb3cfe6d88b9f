// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Describes memory: of which device, for what, and how it is got. Does not change.
/// </summary>
public sealed unsafe class MemoryInfo : IDisposable, IEquatable<MemoryInfo>
{
    /// <summary>Describes memory of a device that is known by its name, as "Cpu".</summary>
    /// <exception cref="OrtArgumentException">The name is unknown.</exception>
    public MemoryInfo(string name, AllocatorType type, int id, MemoryUse use)
    {
        Native.OrtCreateMemoryInfo(
            name ?? throw new ArgumentNullException(nameof(name)), type, id, use, out var handle);
        Handle = handle;
    }

    /// <summary>Describes memory of a device by its kind and numbers.</summary>
    /// <param name="name">Of the memory.</param>
    /// <param name="device">The kind of device.</param>
    /// <param name="vendorId">The vendor's number, as on the PCI bus.</param>
    /// <param name="deviceId">Which of the devices.</param>
    /// <param name="memory">Where on the device it lies.</param>
    /// <param name="alignment">Of blocks, in bytes; 0 for the default.</param>
    /// <param name="type">How it is got.</param>
    public MemoryInfo(
        string name,
        MemoryInfoDeviceType device,
        uint vendorId,
        int deviceId,
        DeviceMemoryType memory,
        nuint alignment,
        AllocatorType type)
    {
        Native.OrtCreateMemoryInfo_V2(
            name ?? throw new ArgumentNullException(nameof(name)), device, vendorId, deviceId,
            memory, alignment, type, out var handle);
        Handle = handle;
    }

    internal MemoryInfo(MemoryInfoHandle handle) => Handle = handle;

    /// <summary>Memory of the processor, as most programs need it.</summary>
    public static MemoryInfo Cpu { get; } = CreateCpu();

    /// <summary>The name of the memory, as "Cpu".</summary>
    public string Name
    {
        get
        {
            using var hold = new Hold(Handle);
            nint name;
            Native.OrtMemoryInfoGetName(Handle, &name);
            return Utf8.Read(name);
        }
    }

    /// <summary>Which of the devices of that name.</summary>
    public int Id
    {
        get
        {
            Native.OrtMemoryInfoGetId(Handle, out var id);
            return id;
        }
    }

    /// <summary>What the memory is for.</summary>
    public MemoryUse Use
    {
        get
        {
            Native.OrtMemoryInfoGetMemType(Handle, out var use);
            return use;
        }
    }

    /// <summary>How the memory is got.</summary>
    public AllocatorType AllocatorType
    {
        get
        {
            Native.OrtMemoryInfoGetType(Handle, out var type);
            return type;
        }
    }

    /// <summary>The kind of device.</summary>
    public MemoryInfoDeviceType DeviceType
    {
        get
        {
            Native.OrtMemoryInfoGetDeviceType(Handle, out var type);
            return type;
        }
    }

    /// <summary>Where on the device it lies.</summary>
    public DeviceMemoryType DeviceMemoryType => Native.OrtMemoryInfoGetDeviceMemType(Handle);

    /// <summary>The vendor's number; 0 for none.</summary>
    public uint VendorId => Native.OrtMemoryInfoGetVendorId(Handle);

    internal MemoryInfoHandle Handle { get; }

    /// <summary>Describes memory of the processor.</summary>
    public static MemoryInfo CreateCpu(
        AllocatorType type = AllocatorType.Device, MemoryUse use = MemoryUse.Default)
    {
        Native.OrtCreateCpuMemoryInfo(type, use, out var handle);
        return new MemoryInfo(handle);
    }

    /// <summary>Whether both describe the same memory.</summary>
    public bool Equals(MemoryInfo? other)
    {
        if (other is null)
        {
            return false;
        }
        Native.OrtCompareMemoryInfo(Handle, other.Handle, out var difference);
        return difference == 0;
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as MemoryInfo);

    /// <inheritdoc/>
    public override int GetHashCode() => Name.GetHashCode() ^ Id;

    /// <inheritdoc/>
    public override string ToString() => $"{Name} {Id} ({AllocatorType})";

    /// <summary>Gives the description back.</summary>
    public void Dispose()
    {
        // The shared description stays: others have it too.
        if (!ReferenceEquals(this, Cpu))
        {
            Handle.Dispose();
        }
    }
}
