// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace OrtC;

/// <summary>
/// Finds the native library, in the order that <see cref="OrtLibrary.Path"/> documents, and checks
/// its version before anything else is called.
/// </summary>
internal static class NativeLibraryLoader
{
#if NET8_0_OR_GREATER
    internal const string Name = "ort_c";
#else
    // Without a resolver the library is loaded beforehand; the loader knows it by this name then.
    internal const string Name = "libort_c.so.1";
#endif
    internal const string PathVariable = "ORTC_LIBRARY_PATH";

    /// <summary>The release whose functions this binding calls: its own.</summary>
    private static readonly Version s_needed =
        typeof(NativeLibraryLoader).Assembly.GetName().Version ?? new Version(1, 0);

    private static readonly object s_lock = new();
    private static nint s_library;
    private static string? s_chosen;

    internal static string? ChosenPath
    {
        get => s_chosen;
        set
        {
            lock (s_lock)
            {
                if (s_library != 0)
                {
                    throw new InvalidOperationException("The native library is loaded already.");
                }
                s_chosen = value;
            }
        }
    }

    /// <summary>Loads the library unless it is there; throws what every call would throw.</summary>
    internal static nint Load()
    {
        lock (s_lock)
        {
            if (s_library == 0)
            {
                var found = Find(Candidates());
                CheckVersion(VersionOf(found), s_needed);
                s_library = found;
            }
            return s_library;
        }
    }

    /// <summary>
    /// Refuses a library of another major version, and one that is older than the binding: within
    /// one major version functions are only added.
    /// </summary>
    internal static void CheckVersion(string version, Version needed)
    {
        if (!Version.TryParse(version, out var there)
            || there.Major != needed.Major || there.Minor < needed.Minor)
        {
            throw new DllNotFoundException(
                $"The native library is ortc {version}; this binding needs {needed.Major}.x from "
                + $"{needed.Major}.{needed.Minor} on.");
        }
    }

    private static unsafe string VersionOf(nint library)
    {
        var function = SystemLoader.Find(library, "OrtGetVersionString");
        return function == 0
            ? "of unknown version" : Utf8.Read(((delegate* unmanaged[Cdecl]<nint>)function)());
    }

    /// <summary>Tries one path after the other; says of each why it failed.</summary>
    internal static nint Find(IEnumerable<string> candidates)
    {
        var tried = new StringBuilder();
        foreach (var path in candidates)
        {
            var rooted = Path.IsPathRooted(path);
            if (rooted && !File.Exists(path))
            {
                tried.Append("\n  ").Append(path).Append(": no such file");
                continue;
            }
            var library = SystemLoader.TryLoad(path, out var words);
            if (library != 0)
            {
                return library;
            }
            tried.Append("\n  ").Append(path).Append(": ").Append(words);
        }
        throw new DllNotFoundException(
            $"The native library of ortc was not found. Set {PathVariable} to its file or folder, "
            + $"or {nameof(OrtLibrary)}.{nameof(OrtLibrary.Path)}. Tried:{tried}");
    }

    internal static IEnumerable<string> Candidates()
    {
        // A path that is given is the only one: another library would hide a mistake.
        if (s_chosen is { Length: > 0 })
        {
            yield return FileIn(s_chosen);
            yield break;
        }
        var variable = Environment.GetEnvironmentVariable(PathVariable);
        if (!string.IsNullOrEmpty(variable))
        {
            yield return FileIn(variable!);
            yield break;
        }
        var folders = new[] { AssemblyFolder(), AppContext.BaseDirectory.TrimEnd('/', '\\') };
        foreach (var folder in folders.Distinct())
        {
            if (!string.IsNullOrEmpty(folder))
            {
                yield return Path.Combine(folder, FileName);
                yield return Path.Combine(folder, "runtimes", Runtime(), "native", FileName);
            }
        }
        yield return FileName;
    }

    private static string FileName =>
        RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "ort_c.dll"
        : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "libort_c.1.dylib"
        : "libort_c.so.1";

    private static string FileIn(string path) =>
        Path.GetFullPath(Directory.Exists(path) ? Path.Combine(path, FileName) : path);

    private static string Runtime()
    {
        var system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "win"
            : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "osx" : "linux";
        return system + "-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
    }

#if NET8_0_OR_GREATER
    [System.Diagnostics.CodeAnalysis.UnconditionalSuppressMessage(
        "SingleFile", "IL3000", Justification = "Empty in a single file; AppContext is asked too.")]
#endif
    private static string AssemblyFolder() =>
        Path.GetDirectoryName(typeof(NativeLibraryLoader).Assembly.Location) ?? string.Empty;
}
