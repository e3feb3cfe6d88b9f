// SPDX-License-Identifier: MIT
using System.Collections.Generic;

namespace OrtC;

/// <summary>
/// What a variant of a package is for, and how its sessions are made. What is null is left out.
/// </summary>
public sealed class VariantSettings
{
    /// <summary>
    /// The execution provider. Without one it is that which compiled the model, or the default
    /// provider.
    /// </summary>
    public string? Provider { get; set; }

    /// <summary>"cpu", "gpu" or "npu".</summary>
    public string? Device { get; set; }

    /// <summary>
    /// What the provider said when it compiled the model, as
    /// <see cref="ModelFile.GetCompatibilityInfo(string, string)"/> gives it.
    /// </summary>
    public string? Compatibility { get; set; }

    /// <summary>
    /// Config entries that sessions get: keys of <see cref="SessionConfigKeys"/>.
    /// </summary>
    public IDictionary<string, string> SessionOptions { get; } = new Dictionary<string, string>();

    /// <summary>Options that the execution provider gets.</summary>
    public IDictionary<string, string> ProviderOptions { get; } = new Dictionary<string, string>();
}
