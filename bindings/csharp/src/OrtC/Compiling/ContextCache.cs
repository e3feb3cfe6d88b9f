// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A folder of compiled models, which <see cref="Session.FromCache"/> fills and reads; any number
/// of processes may use it at a time.
/// </summary>
public sealed class ContextCache
{
    /// <summary>Names a folder; it is neither made nor read.</summary>
    public ContextCache(string folder) => Folder = folder;

    /// <summary>The folder.</summary>
    public string Folder { get; }

    /// <summary>
    /// Lists the <c>entries</c>, the one that was unused for the longest time first, and the
    /// <c>bytes</c> of all.
    /// </summary>
    /// <exception cref="OrtFileNotFoundException">There is no such folder.</exception>
    public Report List()
    {
        Native.OrtListContextCache(Folder, out var inspection);
        return ModelFile.Read(inspection);
    }

    /// <summary>
    /// Removes entries, the longest unused first, until the others take no more than some bytes;
    /// 0 removes all.
    /// </summary>
    public Report Prune(ulong maxBytes)
    {
        Native.OrtPruneContextCache(Folder, maxBytes, out var inspection);
        return ModelFile.Read(inspection);
    }

    /// <summary>Compares every byte with its hash. Nothing is changed.</summary>
    public Report Verify()
    {
        Native.OrtVerifyContextCache(Folder, out var inspection);
        return ModelFile.Read(inspection);
    }

    /// <summary>
    /// Says whether the cache has what a session would compile, and what that follows from.
    /// </summary>
    /// <param name="env">With the execution providers.</param>
    /// <param name="modelPath">The source.</param>
    /// <param name="options">Those of the session; null: the defaults.</param>
    public Report Explain(Env env, string modelPath, SessionOptions? options = null)
    {
        Native.OrtExplainContextCache(
            env.Handle, modelPath, Folder, options?.Handle ?? SessionOptionsHandle.None,
            out var inspection);
        return ModelFile.Read(inspection);
    }
}
