// SPDX-License-Identifier: MIT
using System.Collections.Generic;

namespace OrtC;

/// <summary>Chooses devices: one or more, those that are asked first in front.</summary>
public delegate IReadOnlyCollection<EpDevice> EpSelectionDelegate(EpSelection selection);

/// <summary>What a function that chooses devices may choose from.</summary>
public sealed class EpSelection
{
    internal EpSelection(
        IReadOnlyList<EpDevice> devices,
        IReadOnlyDictionary<string, string> modelMetadata,
        IReadOnlyDictionary<string, string> runtimeMetadata,
        int maxSelections) =>
        (Devices, ModelMetadata, RuntimeMetadata, MaxSelections) =
            (devices, modelMetadata, runtimeMetadata, maxSelections);

    /// <summary>
    /// All of the environment: NPUs, GPUs, processors; that of the CPU provider is the last.
    /// </summary>
    public IReadOnlyList<EpDevice> Devices { get; }

    /// <summary>What the model says of itself, as "producer_name"; and its metadata.</summary>
    public IReadOnlyDictionary<string, string> ModelMetadata { get; }

    /// <summary>Nothing so far.</summary>
    public IReadOnlyDictionary<string, string> RuntimeMetadata { get; }

    /// <summary>How many devices may be chosen.</summary>
    public int MaxSelections { get; }
}
