// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

// The native objects of operators of the program.

internal sealed class CustomOpDomainHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseCustomOpDomain(released);
}

internal sealed class KernelInfoHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseKernelInfo(released);
}

internal sealed class OpHandle : OrtHandle
{
    protected override void Free(nint released) => Native.OrtReleaseOp(released);
}
