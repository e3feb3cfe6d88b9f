// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

/// <summary>The native library itself.</summary>
public static unsafe class OrtLibrary
{
    /// <summary>
    /// Where the native library is: a file, or the folder it is in. Set it before anything else is
    /// used. Without it: the variable <c>ORTC_LIBRARY_PATH</c> (a file or a folder), then the
    /// folder of this assembly and that of the program, each also with
    /// <c>runtimes/&lt;rid&gt;/native</c>, then the system's loader. When none of them has it, the
    /// first call throws <see cref="System.DllNotFoundException"/>, which lists what was tried; and
    /// it does when the library is of another major version, or older than this assembly.
    /// </summary>
    /// <exception cref="System.InvalidOperationException">The library is loaded.</exception>
    public static string? Path
    {
        get => NativeLibraryLoader.ChosenPath;
        set => NativeLibraryLoader.ChosenPath = value;
    }

    /// <summary>The release of the library, as "1.0.0".</summary>
    public static string Version => Native.OrtGetVersionString() ?? string.Empty;

    /// <summary>How it was built, in one line for bug reports. Do not parse it.</summary>
    public static string BuildInfo => Native.OrtGetBuildInfoString() ?? string.Empty;

    /// <summary>
    /// The table of functions that ONNX Runtime's plugins are handed, <c>const OrtApiBase*</c>: for
    /// programs that bring an execution provider of their own. Static.
    /// </summary>
    public static nint ApiBase => Native.OrtcGetApiBase();

    /// <summary>
    /// The execution providers in the library, the preferred ones first, the CPU provider last.
    /// </summary>
    public static string[] GetAvailableProviders()
    {
        nint names;
        Native.OrtGetAvailableProviders(&names, out var count);
        try
        {
            return Text.ReadArray((nint*)names, count);
        }
        finally
        {
            Native.OrtReleaseAvailableProviders((nint*)names, count);
        }
    }
}
