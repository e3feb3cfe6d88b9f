// SPDX-License-Identifier: MIT
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// An execution provider paired with a device it serves. Give a choice of them to
/// <c>SessionOptions.AppendExecutionProvider</c>. Stays usable when its environment is disposed.
/// </summary>
public sealed class EpDevice
{
    internal EpDevice(nint device, SafeHandle owner)
    {
        Handle = OrtHandle.Borrow<EpDeviceHandle>(device, owner);
        EpName = Native.OrtEpDevice_EpName(Handle) ?? string.Empty;
        EpVendor = Native.OrtEpDevice_EpVendor(Handle) ?? string.Empty;
        Metadata = KeyValuePairs.Borrow(Native.OrtEpDevice_EpMetadata(Handle), owner);
        Options = KeyValuePairs.Borrow(Native.OrtEpDevice_EpOptions(Handle), owner);
        Device = new HardwareDevice(Native.OrtEpDevice_Device(Handle), owner);
    }

    /// <summary>The execution provider's name, as "AotExecutionProvider".</summary>
    public string EpName { get; }

    /// <summary>Who made the execution provider.</summary>
    public string EpVendor { get; }

    /// <summary>What the provider says about itself; "version" is always there.</summary>
    public KeyValuePairs Metadata { get; }

    /// <summary>Options that suit this device; they apply when a session chooses it.</summary>
    public KeyValuePairs Options { get; }

    /// <summary>The hardware.</summary>
    public HardwareDevice Device { get; }

    internal EpDeviceHandle Handle { get; }

    /// <summary>A memory of the device; null when it is that of the processor.</summary>
    public MemoryInfo? GetMemoryInfo(DeviceMemoryType type)
    {
        var info = Native.OrtEpDevice_MemoryInfo(Handle, type);
        return info == 0 ? null : new MemoryInfo(OrtHandle.Borrow<MemoryInfoHandle>(info, Handle));
    }

    /// <summary>
    /// Tells the provider which graphics interface its streams for the device share from now on.
    /// </summary>
    /// <param name="api">Which one.</param>
    /// <param name="commandQueue">A queue of the interface, or 0.</param>
    /// <param name="options">Of the provider.</param>
    /// <exception cref="OrtNotSupportedException">The provider shares none.</exception>
    public unsafe void InitGraphicsInterop(
        GraphicsApi api, nint commandQueue = 0, KeyValuePairs? options = null)
    {
        using var hold = options is null ? null : new Hold(options.Handle);
        var config = new GraphicsInteropConfig
        {
            Version = ExternalMemoryDescriptor.InterfaceVersion,
            Api = api,
            CommandQueue = commandQueue,
            Options = options is null ? default : options.Handle.DangerousGetHandle(),
        };
        Native.OrtInitGraphicsInteropForEpDevice(Handle, &config);
    }

    /// <summary>Ends what <see cref="InitGraphicsInterop"/> began.</summary>
    public void DeinitGraphicsInterop() => Native.OrtDeinitGraphicsInteropForEpDevice(Handle);

    /// <inheritdoc/>
    public override string ToString() => $"{EpName} on {Device}";
}

/// <summary>A piece of hardware that can run models. Does not change.</summary>
public sealed class HardwareDevice
{
    internal HardwareDevice(nint device, SafeHandle owner)
    {
        Handle = OrtHandle.Borrow<HardwareDeviceHandle>(device, owner);
        Type = Native.OrtHardwareDevice_Type(Handle);
        VendorId = Native.OrtHardwareDevice_VendorId(Handle);
        Vendor = Native.OrtHardwareDevice_Vendor(Handle) ?? string.Empty;
        DeviceId = Native.OrtHardwareDevice_DeviceId(Handle);
        Metadata = KeyValuePairs.Borrow(Native.OrtHardwareDevice_Metadata(Handle), Handle);
    }

    /// <summary>What kind of hardware it is.</summary>
    public HardwareDeviceType Type { get; }

    /// <summary>The vendor's number, as on the PCI bus; 0 when there is none.</summary>
    public uint VendorId { get; }

    /// <summary>The vendor's name; empty when it is not known.</summary>
    public string Vendor { get; }

    /// <summary>The number of the device model; devices of one model share it.</summary>
    public uint DeviceId { get; }

    /// <summary>Further facts; "is_virtual" is always there, as "0" or "1".</summary>
    public KeyValuePairs Metadata { get; }

    internal HardwareDeviceHandle Handle { get; }

    /// <inheritdoc/>
    public override string ToString() => Vendor.Length == 0 ? Type.ToString() : $"{Vendor} {Type}";
}
