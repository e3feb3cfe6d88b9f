// SPDX-License-Identifier: MIT
using System;
#if NET8_0_OR_GREATER
using System.Text.Json;
#endif

namespace OrtC;

/// <summary>
/// What the library says about a session, a compile, a group, a file or a cache: a JSON object.
/// Members may be added in later releases; none changes its meaning. Times end in <c>ms</c>, sizes
/// in <c>bytes</c>.
/// </summary>
public sealed class Report
{
#if NET8_0_OR_GREATER
    private readonly Lazy<JsonElement> _root;
#endif

    internal Report(string json)
    {
        Json = json;
#if NET8_0_OR_GREATER
        _root = new Lazy<JsonElement>(() => Parse(json));
#endif
    }

    /// <summary>The text.</summary>
    public string Json { get; }

#if NET8_0_OR_GREATER
    /// <summary>The object, parsed when it is asked for first. On .NET 8 and later.</summary>
    public JsonElement Root => _root.Value;

    private static JsonElement Parse(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.Clone();
    }
#endif

    /// <summary>The text.</summary>
    public override string ToString() => Json;
}
