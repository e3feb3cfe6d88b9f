// SPDX-License-Identifier: MIT
using System;
using System.Collections;
using System.Collections.Generic;

namespace OrtC;

/// <summary>
/// What a run gave, by name, in the order that was asked for. Dispose it when done.
/// </summary>
public sealed class Outputs : IReadOnlyDictionary<string, Value>, IDisposable
{
    private readonly string[] _names;
    private readonly Value[] _values;

    internal Outputs(string[] names, Value[] values)
    {
        _names = names;
        _values = values;
    }

    /// <inheritdoc/>
    public int Count => _names.Length;

    /// <inheritdoc/>
    public IEnumerable<string> Keys => _names;

    /// <inheritdoc/>
    public IEnumerable<Value> Values => _values;

    /// <summary>An output by its place.</summary>
    public Value this[int index] => _values[index];

    /// <summary>An output by its name.</summary>
    /// <exception cref="KeyNotFoundException">The run did not give it.</exception>
    public Value this[string name] => TryGetValue(name, out var value)
        ? value
        : throw new KeyNotFoundException(
            $"There is no output \"{name}\". There are: {string.Join(", ", _names)}.");

    /// <inheritdoc/>
    public bool ContainsKey(string key) => Array.IndexOf(_names, key) >= 0;

    /// <inheritdoc/>
    public bool TryGetValue(string key, out Value value)
    {
        var index = Array.IndexOf(_names, key);
        value = index >= 0 ? _values[index] : null!;
        return index >= 0;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, Value>> GetEnumerator()
    {
        for (var i = 0; i < _names.Length; i++)
        {
            yield return new KeyValuePair<string, Value>(_names[i], _values[i]);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Gives all values back.</summary>
    public void Dispose()
    {
        foreach (var value in _values)
        {
            value.Dispose();
        }
    }
}
