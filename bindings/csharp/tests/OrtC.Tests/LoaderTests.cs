// SPDX-License-Identifier: MIT
using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Xunit;

namespace OrtC.Tests;

public unsafe class LoaderTests
{
    [Fact]
    public void A_library_that_is_not_found_says_what_was_tried()
    {
        var text = Path.Combine(Rig.NewFolder(), "libort_c.so.1");
        File.WriteAllText(text, "not a library");
        var exception = Assert.Throws<DllNotFoundException>(
            () => NativeLibraryLoader.Find(["/größe/libort_c.so.1", text]));
        Assert.Contains("/größe/libort_c.so.1: no such file", exception.Message);
        Assert.Contains(text + ": ", exception.Message);
        Assert.Contains("ORTC_LIBRARY_PATH", exception.Message);
    }

    [Fact]
    public void The_library_of_the_variable_is_the_one()
    {
        var given = Environment.GetEnvironmentVariable("ORTC_LIBRARY_PATH");
        Assert.Equal(Path.Combine(Path.GetFullPath(given!), "libort_c.so.1"),
            NativeLibraryLoader.Candidates().Single());
        Assert.NotEmpty(OrtLibrary.Version);
        Assert.Throws<InvalidOperationException>(() => OrtLibrary.Path = "/elsewhere");
        Assert.Null(OrtLibrary.Path);
    }

    [Fact]
    public void A_library_of_a_version_that_does_not_fit_is_refused()
    {
        var needed = new Version(1, 2, 5);
        foreach (var fits in new[] { "1.2.0", "1.2.9", "1.10.0" })
        {
            NativeLibraryLoader.CheckVersion(fits, needed);
        }
        foreach (var refused in new[] { "2.2.0", "0.2.0", "1.1.9", "nonsense", "" })
        {
            var exception = Assert.Throws<DllNotFoundException>(
                () => NativeLibraryLoader.CheckVersion(refused, needed));
            Assert.Contains(refused, exception.Message);
            Assert.Contains("from 1.2 on", exception.Message);
        }
    }

    [Fact]
    public void Structs_are_laid_out_as_in_C()
    {
        Assert.Equal(48, sizeof(EnvCreationOptions));
        Assert.Equal(4, (int)Marshal.OffsetOf<EnvCreationOptions>("Severity"));
        Assert.Equal(8, (int)Marshal.OffsetOf<EnvCreationOptions>("LogId"));
        Assert.Equal(8, sizeof(Complex64));
        Assert.Equal(2, sizeof(Float16));
        Assert.Equal(2, sizeof(BFloat16));
        Assert.Equal(1, sizeof(bool));
    }
}
