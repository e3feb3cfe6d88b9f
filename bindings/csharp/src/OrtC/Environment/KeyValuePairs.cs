// SPDX-License-Identifier: MIT
using System;
using System.Collections;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// An ordered list of texts with unique keys: metadata of devices, options of providers, figures of
/// allocators. Read it like a dictionary. Lists that the library gives do not change.
/// </summary>
public sealed unsafe class KeyValuePairs : IReadOnlyDictionary<string, string>, IDisposable
{
    private readonly bool _readOnly;

    /// <summary>Makes an empty list.</summary>
    public KeyValuePairs()
    {
        Native.OrtCreateKeyValuePairs(out var handle);
        if (handle.IsInvalid)
        {
            throw new OutOfMemoryException("There is no memory for a list of key-value pairs.");
        }
        Handle = handle;
    }

    /// <summary>Makes a list of pairs.</summary>
    public KeyValuePairs(IEnumerable<KeyValuePair<string, string>> pairs)
        : this()
    {
        foreach (var pair in pairs ?? throw new ArgumentNullException(nameof(pairs)))
        {
            Add(pair.Key, pair.Value);
        }
    }

    internal KeyValuePairs(KeyValuePairsHandle handle)
    {
        Handle = handle;
        _readOnly = true;
    }

    /// <inheritdoc/>
    public int Count => Read(out _, out _);

    /// <inheritdoc/>
    public IEnumerable<string> Keys
    {
        get
        {
            using var hold = new Hold(Handle);
            var count = Read(out var keys, out _);
            return Text.ReadArray(keys, count);
        }
    }

    /// <inheritdoc/>
    public IEnumerable<string> Values
    {
        get
        {
            using var hold = new Hold(Handle);
            var count = Read(out _, out var values);
            return Text.ReadArray(values, count);
        }
    }

    internal KeyValuePairsHandle Handle { get; }

    /// <summary>
    /// The value of a key. Setting adds a pair, or replaces the value where it is.
    /// </summary>
    /// <exception cref="KeyNotFoundException">The key is not there.</exception>
    /// <exception cref="InvalidOperationException">The list is the library's.</exception>
    public string this[string key]
    {
        get => TryGetValue(key, out var value)
            ? value
            : throw new KeyNotFoundException($"There is no key \"{key}\".");
        set => Add(key, value);
    }

    /// <summary>Adds a pair, or replaces the value of a key that is there.</summary>
    /// <exception cref="InvalidOperationException">The list is the library's.</exception>
    public void Add(string key, string value)
    {
        CheckWritable();
        if (string.IsNullOrEmpty(key))
        {
            throw new ArgumentException("A key must not be empty.", nameof(key));
        }
        Native.OrtAddKeyValuePair(
            Handle, key, value ?? throw new ArgumentNullException(nameof(value)));
    }

    /// <summary>Removes a pair; says whether it was there.</summary>
    /// <exception cref="InvalidOperationException">The list is the library's.</exception>
    public bool Remove(string key)
    {
        CheckWritable();
        var there = ContainsKey(key);
        Native.OrtRemoveKeyValuePair(Handle, key);
        return there;
    }

    /// <inheritdoc/>
    public bool ContainsKey(string key) => TryGetValue(key, out _);

    /// <inheritdoc/>
    public bool TryGetValue(string key, out string value)
    {
        var found = Native.OrtGetKeyValue(
            Handle, key ?? throw new ArgumentNullException(nameof(key)));
        value = found ?? string.Empty;
        return found is not null;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, string>> GetEnumerator()
    {
        var keys = (string[])Keys;
        var values = (string[])Values;
        for (var i = 0; i < keys.Length; i++)
        {
            yield return new KeyValuePair<string, string>(keys[i], values[i]);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Gives the list back.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>A list that lives as long as its owner.</summary>
    internal static KeyValuePairs Borrow(nint list, SafeHandle owner) =>
        new(OrtHandle.Borrow<KeyValuePairsHandle>(list, owner));

    private int Read(out nint* keys, out nint* values)
    {
        nint keyArray, valueArray;
        Native.OrtGetKeyValuePairs(Handle, &keyArray, &valueArray, out var count);
        keys = (nint*)keyArray;
        values = (nint*)valueArray;
        return checked((int)count);
    }

    private void CheckWritable()
    {
        if (_readOnly)
        {
            throw new InvalidOperationException("The list belongs to the library: it is read-only.");
        }
    }
}
