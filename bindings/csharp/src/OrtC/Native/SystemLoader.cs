// SPDX-License-Identifier: MIT
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC.LowLevel
{
    internal static unsafe partial class NativePINVOKE
    {
        /// <summary>Runs before the first call into the library.</summary>
        static NativePINVOKE() => SystemLoader.Attach();
    }
}

namespace OrtC
{
    /// <summary>The system's loader, on the old and the new .NET.</summary>
    internal static class SystemLoader
    {
#if NET8_0_OR_GREATER
        internal static void Attach() =>
            NativeLibrary.SetDllImportResolver(typeof(SystemLoader).Assembly, Resolve);

        internal static nint TryLoad(string path, out string words)
        {
            try
            {
                words = string.Empty;
                return NativeLibrary.Load(path);
            }
            catch (Exception exception)
                when (exception is DllNotFoundException or BadImageFormatException)
            {
                words = exception.Message.Replace("\n", " ");
                return 0;
            }
        }

        /// <summary>The address of a function; 0 when there is none of that name.</summary>
        internal static nint Find(nint library, string function) =>
            NativeLibrary.TryGetExport(library, function, out var address) ? address : 0;

        private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? search) =>
            name == NativeLibraryLoader.Name ? NativeLibraryLoader.Load() : 0;
#else
        private const int Now = 2;
        private const int Global = 0x100;

        internal static void Attach() => NativeLibraryLoader.Load();

        internal static nint TryLoad(string path, out string words)
        {
            words = string.Empty;
            var library = dlopen(path, Now | Global);
            if (library == 0)
            {
                words = Utf8.Read(dlerror());
            }
            return library;
        }

        internal static nint Find(nint library, string function) => dlsym(library, function);

        [DllImport("libdl.so.2")]
        private static extern nint dlopen(
            [MarshalAs(Utf8.Marshalled)] string path, int flags);

        [DllImport("libdl.so.2")]
        private static extern nint dlsym(
            nint library, [MarshalAs(Utf8.Marshalled)] string function);

        [DllImport("libdl.so.2")]
        private static extern nint dlerror();
#endif
    }
}
