// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A node whose output types and shapes are wanted before a run. Valid until the function returns
/// that got it.
/// </summary>
public sealed unsafe class ShapeInferContext
{
    private nint _context;

    internal ShapeInferContext(nint context) => _context = context;

    /// <summary>The inputs of the node; those that are left out count.</summary>
    public int InputCount
    {
        get
        {
            Native.OrtShapeInferContext_GetInputCount(Context, out var count);
            return checked((int)count);
        }
    }

    private nint Context => _context != 0
        ? _context
        : throw new ObjectDisposedException(nameof(ShapeInferContext));

    /// <summary>Type and shape of an input that is a tensor, as far as they are known.</summary>
    /// <exception cref="OrtArgumentException">There is no such input.</exception>
    public TensorInfo GetInput(int index)
    {
        nint info;
        Native.OrtShapeInferContext_GetInputTypeShape(Context, checked((nuint)index), &info);
        using var borrowed = OrtHandle.Borrow<TensorTypeAndShapeInfoHandle>(info, null);
        return TensorInfo.Read(borrowed);
    }

    /// <summary>
    /// An attribute of the node, valid as this context; null when it has none of that name.
    /// </summary>
    public OpAttribute? GetAttribute(string name)
    {
        nint attribute;
        try
        {
            Native.OrtShapeInferContext_GetAttribute(Context, name, &attribute);
        }
        catch (OrtArgumentException)
        {
            return null;
        }
        return new OpAttribute(OrtHandle.Borrow<OpAttrHandle>(attribute, null));
    }

    /// <summary>Says type and shape of an output.</summary>
    /// <param name="index">Of the output.</param>
    /// <param name="output">Undefined leaves the element type that the operator declares.</param>
    /// <exception cref="OrtArgumentException">There is no such output.</exception>
    public void SetOutput(int index, TensorInfo output)
    {
        using var info = output.Create();
        Native.OrtShapeInferContext_SetOutputTypeShape(Context, checked((nuint)index), info);
    }

    internal void End() => _context = 0;
}
