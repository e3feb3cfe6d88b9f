// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;

namespace OrtC;

/// <summary>What an <see cref="Env"/> is to be. Read once, when it is made.</summary>
public sealed class EnvOptions
{
    /// <summary>Stands in the log lines; may be empty.</summary>
    public string LogId { get; set; } = "ortc";

    /// <summary>Milder lines are dropped.</summary>
    public LoggingLevel Severity { get; set; } = LoggingLevel.Warning;

    /// <summary>
    /// Hears the log lines, in place of stderr: from any thread, several at once. What it throws is
    /// lost.
    /// </summary>
    public Action<LogRecord>? Logger { get; set; }

    /// <summary>
    /// Threads that all sessions share which say
    /// <see cref="SessionOptions.DisablePerSessionThreads"/>. Null: each session has its own.
    /// </summary>
    public ThreadingOptions? Threading { get; set; }

    /// <summary>Keys of <see cref="EnvConfigKeys"/>.</summary>
    public IDictionary<string, string> ConfigEntries { get; } = new Dictionary<string, string>();
}

/// <summary>C's struct OrtEnvCreationOptions.</summary>
internal struct EnvCreationOptions
{
    internal const uint OldestVersion = 24;

#pragma warning disable CS0649, IDE0044 // Native code reads the fields.
    internal uint Version;
    internal int Severity;
    internal nint LogId;
    internal nint LoggingFunction;
    internal nint LoggingParameter;
    internal nint Threading;
    internal nint ConfigEntries;
#pragma warning restore CS0649, IDE0044
}
