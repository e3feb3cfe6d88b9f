// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// The environment: the first object of a program. It has the logger, the execution providers and
/// their devices, and what sessions share. A program may have several. Thread-safe; it may be
/// disposed before what was made from it.
/// </summary>
public sealed unsafe class Env : IDisposable
{
    private volatile Lazy<EpDevice[]> _devices;

    /// <summary>Makes an environment that logs to stderr.</summary>
    /// <param name="logId">Stands in the log lines; may be empty.</param>
    /// <param name="severity">Milder lines are dropped.</param>
    public Env(string logId = "ortc", LoggingLevel severity = LoggingLevel.Warning)
        : this(new EnvOptions { LogId = logId, Severity = severity })
    {
    }

    /// <summary>Makes an environment from a description.</summary>
    /// <exception cref="OrtArgumentException">An option is wrong.</exception>
    /// <exception cref="DllNotFoundException">
    /// The native library is not there, or of a version that does not fit.
    /// </exception>
    public Env(EnvOptions options)
    {
        if (options is null)
        {
            throw new ArgumentNullException(nameof(options));
        }
        Handle = Create(options);
        LiveEnvs.Add(Handle);
        _devices = new Lazy<EpDevice[]>(ReadEpDevices);
        Native.OrtSetLanguageProjection(Handle, LanguageProjection.CSharp);
    }

    /// <summary>
    /// Every pair of an execution provider and a device: a list that does not change. Another one
    /// comes when a library of providers was registered or unregistered.
    /// </summary>
    public IReadOnlyList<EpDevice> EpDevices => _devices.Value;

    internal EnvHandle Handle { get; }

    /// <summary>Results of sessions may lie in memory of the program's allocators.</summary>
    internal bool HasCustomAllocators { get; set; }

    /// <summary>Lists the hardware devices.</summary>
    public IReadOnlyList<HardwareDevice> GetHardwareDevices() =>
        Array.ConvertAll(ReadHardware(), device => new HardwareDevice(device, Handle));

    /// <summary>
    /// Asks an execution provider why it does not serve hardware. Null when it does; a library that
    /// cannot say is believed to serve it.
    /// </summary>
    /// <param name="epName">The provider's name, or its short form.</param>
    /// <param name="device">Of this environment.</param>
    /// <exception cref="OrtArgumentException">
    /// There is no such provider, or the device belongs to another environment.
    /// </exception>
    public EpIncompatibility? GetIncompatibility(string epName, HardwareDevice device)
    {
        var handle = (device ?? throw new ArgumentNullException(nameof(device))).Handle;
        if (Array.IndexOf(ReadHardware(), handle.DangerousGetHandle()) < 0)
        {
            throw new OrtArgumentException("The device belongs to another environment.");
        }
        Native.OrtGetHardwareDeviceEpIncompatibilityDetails(
            Handle, epName ?? throw new ArgumentNullException(nameof(epName)), handle,
            out var details);
        using (details)
        {
            return EpIncompatibility.Read(details);
        }
    }

    /// <summary>
    /// Sets the severity below which lines are dropped: of the environment, and of sessions made
    /// from now on.
    /// </summary>
    public void SetSeverity(LoggingLevel severity) =>
        Native.OrtUpdateEnvWithCustomLogLevel(Handle, severity);

    /// <summary>
    /// Loads a shared library of execution providers and adds its devices. When anything fails,
    /// nothing was added.
    /// </summary>
    /// <param name="name">
    /// A name that no other library of the environment has. One that ends in ".virtual" allows the
    /// library to offer virtual devices.
    /// </param>
    /// <param name="path">The library.</param>
    /// <exception cref="System.IO.FileNotFoundException">There is no such file.</exception>
    public void RegisterProviderLibrary(string name, string path)
    {
        Native.OrtRegisterExecutionProviderLibrary(Handle, name, path);
        _devices = new Lazy<EpDevice[]>(ReadEpDevices);
    }

    /// <summary>
    /// Takes the devices of a library away again. It is unloaded when the last session that uses it
    /// is disposed; its devices tell what they were, and can be used no more.
    /// </summary>
    /// <param name="name">The name that it was registered under.</param>
    public void UnregisterProviderLibrary(string name)
    {
        Native.OrtUnregisterExecutionProviderLibrary(Handle, name);
        _devices = new Lazy<EpDevice[]>(ReadEpDevices);
    }

    /// <summary>
    /// Has functions told about the work of the threads of sessions that are made from now on, in
    /// place of those set before.
    /// </summary>
    /// <param name="callbacks">Read once. Null: none is told.</param>
    public void SetThreadPoolCallbacks(ThreadPoolCallbacks? callbacks)
    {
        var config = new ThreadPoolCallbacksConfig
        {
            Version = ThreadPoolCallbacksConfig.OldestVersion,
        };
        if (callbacks is not null)
        {
            var state = new ThreadPoolCallbacksState(callbacks);
            Handle.Attach(state);
            config = state.Config;
        }
        Native.OrtSetPerSessionThreadPoolCallbacks(Handle, &config);
    }

    /// <summary>Does nothing: the library sends no telemetry.</summary>
    public void SetTelemetry(bool enabled)
    {
        if (enabled)
        {
            Native.OrtEnableTelemetryEvents(Handle);
        }
        else
        {
            Native.OrtDisableTelemetryEvents(Handle);
        }
    }

    /// <summary>Gives the environment back; what is in use lives on until it ends.</summary>
    public void Dispose() => Handle.Dispose();

    private static EnvHandle Create(EnvOptions options)
    {
        var logger = options.Logger is null ? null : new CallbackState(options.Logger);
        ThreadFactoryState? factory = null;
        try
        {
            using var threading = options.Threading?.Create(out factory);
            var env = Create(options, logger, threading);
            if (logger is not null)
            {
                env.Attach(logger);
            }
            if (factory is not null)
            {
                env.Attach(factory);
            }
            return env;
        }
        catch (Exception exception)
        {
            logger?.Dispose();
            factory?.Dispose();
            ThreadFactoryState.RethrowOriginal(exception, factory);
            throw;
        }
    }

    private static EnvHandle Create(
        EnvOptions options, CallbackState? logger, ThreadingOptionsHandle? threading)
    {
        EnvHandle env;
        var (severity, id) = (options.Severity, options.LogId);
        if (options.ConfigEntries.Count > 0)
        {
            return CreateWithEntries(options, logger, threading);
        }
        if (logger is not null && threading is not null)
        {
            Native.OrtCreateEnvWithCustomLoggerAndGlobalThreadPools(
                LogCallback.Pointer, logger.Pointer, severity, id, threading, out env);
        }
        else if (logger is not null)
        {
            Native.OrtCreateEnvWithCustomLogger(
                LogCallback.Pointer, logger.Pointer, severity, id, out env);
        }
        else if (threading is not null)
        {
            Native.OrtCreateEnvWithGlobalThreadPools(severity, id, threading, out env);
        }
        else
        {
            Native.OrtCreateEnv(severity, id, out env);
        }
        return env;
    }

    private static EnvHandle CreateWithEntries(
        EnvOptions options, CallbackState? logger, ThreadingOptionsHandle? threading)
    {
        using var entries = new KeyValuePairs(options.ConfigEntries);
        var id = Utf8.Allocate(options.LogId ?? throw new ArgumentNullException(nameof(options)));
        try
        {
            var description = new EnvCreationOptions
            {
                Version = EnvCreationOptions.OldestVersion,
                Severity = (int)options.Severity,
                LogId = id,
                LoggingFunction = logger is null ? 0 : LogCallback.Pointer,
                LoggingParameter = logger?.Pointer ?? 0,
                Threading = threading?.DangerousGetHandle() ?? default,
                ConfigEntries = entries.Handle.DangerousGetHandle(),
            };
            Native.OrtCreateEnvWithOptions(&description, out var env);
            GC.KeepAlive(threading);
            GC.KeepAlive(entries);
            return env;
        }
        finally
        {
            Marshal.FreeHGlobal(id);
        }
    }

    private nint[] ReadHardware()
    {
        Native.OrtGetNumHardwareDevices(Handle, out var count);
        var pointers = new nint[checked((int)count)];
        fixed (nint* first = pointers)
        {
            Native.OrtGetHardwareDevices(Handle, first, count);
        }
        return pointers;
    }

    private EpDevice[] ReadEpDevices()
    {
        nint devices;
        Native.OrtGetEpDevices(Handle, &devices, out var count);
        var result = new EpDevice[checked((int)count)];
        for (var i = 0; i < result.Length; i++)
        {
            result[i] = new EpDevice(((nint*)devices)[i], Handle);
        }
        return result;
    }
}
