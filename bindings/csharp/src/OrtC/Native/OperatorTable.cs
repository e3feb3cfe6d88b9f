// SPDX-License-Identifier: MIT
using System;
using System.Runtime.InteropServices;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>The memory of an operator's table.</summary>
internal sealed class OperatorTableHandle : OrtHandle
{
    protected override void Free(nint released) => Marshal.FreeHGlobal(released);
}

/// <summary>
/// C's struct OrtCustomOp, and after it what only we read. A kernel of the library is the number of
/// an <see cref="OperatorKernel"/>, which holds the table: a session may end on another thread after
/// everything that .NET has of it.
/// </summary>
internal unsafe struct OperatorTable
{
    /// <summary>The interface that the struct follows.</summary>
    private const uint InterfaceVersion = 18;

    private static readonly TextFunction s_name = OnName;
    private static readonly CountFunction s_inputCount = table => Count(Of(table).Inputs);
    private static readonly CountFunction s_outputCount = table => Count(Of(table).Outputs);
    private static readonly ElementFunction s_inputType = (table, i) => Type(Of(table).Inputs, i);
    private static readonly ElementFunction s_outputType = (table, i) => Type(Of(table).Outputs, i);
    private static readonly ElementFunction s_inputKind = (table, i) => Kind(Of(table).Inputs, i);
    private static readonly ElementFunction s_outputKind = (table, i) => Kind(Of(table).Outputs, i);
    private static readonly NumberFunction s_inputLeast = table => Least(Of(table).Inputs);
    private static readonly NumberFunction s_outputLeast = table => Least(Of(table).Outputs);
    private static readonly NumberFunction s_inputIsOfOne = table => IsOfOne(Of(table).Inputs);
    private static readonly NumberFunction s_outputIsOfOne = table => IsOfOne(Of(table).Outputs);
    private static readonly NumberFunction s_first = table => Of(table).SinceVersion;
    private static readonly NumberFunction s_last = table => Of(table).LastVersion;
    private static readonly CreateFunction s_create = OnCreate;
    private static readonly ComputeFunction s_compute = OperatorKernel.OnCompute;
    private static readonly DestroyFunction s_destroy = OperatorKernel.OnDestroy;
    private static readonly InferFunction s_infer = OnInfer;

#pragma warning disable CS0414, CS0169, IDE0051 // Native code reads the fields.
    private nint _version;
    private nint _createKernel; // the form without a status
    private nint _getName;
    private nint _getProvider;
    private nint _getInputType;
    private nint _getInputCount;
    private nint _getOutputType;
    private nint _getOutputCount;
    private nint _compute; // the form without a status
    private nint _destroy;
    private nint _getInputKind;
    private nint _getOutputKind;
    private nint _getInputMemory;
    private nint _getInputLeast;
    private nint _getInputIsOfOne;
    private nint _getOutputLeast;
    private nint _getOutputIsOfOne;
    private nint _createKernelV2;
    private nint _computeV2;
    private nint _infer;
    private nint _getFirstVersion;
    private nint _getLastVersion;
    private fixed long _aliases[4];
    private nint _name;
    private nint _state;
#pragma warning restore CS0414, CS0169, IDE0051

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint TextFunction(OperatorTable* table);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nuint CountFunction(OperatorTable* table);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int NumberFunction(OperatorTable* table);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int ElementFunction(OperatorTable* table, nuint index);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint CreateFunction(OperatorTable* table, nint api, nint info, nint* kernel);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint ComputeFunction(nint kernel, nint context);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void DestroyFunction(nint kernel);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint InferFunction(OperatorTable* table, nint context);

    /// <summary>Makes the table of an operator; it ends when nobody holds it any more.</summary>
    internal static OperatorTableHandle Create(string name, OperatorDeclaration declaration)
    {
        var text = Utf8.Allocate(name);
        var table = (OperatorTable*)Marshal.AllocHGlobal(sizeof(OperatorTable));
        var state = new CallbackState(declaration);
        *table = default;
        table->_version = (nint)InterfaceVersion;
        table->_getName = Marshal.GetFunctionPointerForDelegate(s_name);
        table->_getInputType = Marshal.GetFunctionPointerForDelegate(s_inputType);
        table->_getInputCount = Marshal.GetFunctionPointerForDelegate(s_inputCount);
        table->_getOutputType = Marshal.GetFunctionPointerForDelegate(s_outputType);
        table->_getOutputCount = Marshal.GetFunctionPointerForDelegate(s_outputCount);
        table->_destroy = Marshal.GetFunctionPointerForDelegate(s_destroy);
        table->_getInputKind = Marshal.GetFunctionPointerForDelegate(s_inputKind);
        table->_getOutputKind = Marshal.GetFunctionPointerForDelegate(s_outputKind);
        table->_getInputLeast = Marshal.GetFunctionPointerForDelegate(s_inputLeast);
        table->_getInputIsOfOne = Marshal.GetFunctionPointerForDelegate(s_inputIsOfOne);
        table->_getOutputLeast = Marshal.GetFunctionPointerForDelegate(s_outputLeast);
        table->_getOutputIsOfOne = Marshal.GetFunctionPointerForDelegate(s_outputIsOfOne);
        table->_createKernelV2 = Marshal.GetFunctionPointerForDelegate(s_create);
        table->_computeV2 = Marshal.GetFunctionPointerForDelegate(s_compute);
        table->_infer = declaration.InferShapes is null
            ? 0
            : Marshal.GetFunctionPointerForDelegate(s_infer);
        table->_getFirstVersion = Marshal.GetFunctionPointerForDelegate(s_first);
        table->_getLastVersion = Marshal.GetFunctionPointerForDelegate(s_last);
        table->_name = text;
        table->_state = state.Pointer;
        var handle = OrtHandle.Own<OperatorTableHandle>((nint)table);
        handle.Attach(new Attached(text, state));
        declaration.Table = handle;
        return handle;
    }

    private static OperatorDeclaration Of(OperatorTable* table) =>
        CallbackState.Get<OperatorDeclaration>(table->_state);

    private static nint OnName(OperatorTable* table) => table->_name;

    private static nuint Count(FormalParameter[] parameters) => (nuint)parameters.Length;

    private static int Type(FormalParameter[] parameters, nuint index) =>
        (int)parameters[(int)index].Type;

    private static int Kind(FormalParameter[] parameters, nuint index) =>
        (int)parameters[(int)index].Kind;

    // Asked for when the last one is variadic.
    private static int Least(FormalParameter[] parameters) =>
        parameters[parameters.Length - 1].MinArity;

    private static int IsOfOne(FormalParameter[] parameters) =>
        parameters[parameters.Length - 1].IsHomogeneous ? 1 : 0;

    private static nint OnCreate(OperatorTable* table, nint api, nint info, nint* kernel)
    {
        try
        {
            *kernel = OperatorKernel.Create(Of(table), info);
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
    }

    private static nint OnInfer(OperatorTable* table, nint context)
    {
        var seen = new ShapeInferContext(context);
        try
        {
            Of(table).InferShapes!(seen);
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
        finally
        {
            seen.End();
        }
    }

    private sealed class Attached : IDisposable
    {
        private readonly nint _name;
        private readonly CallbackState _state;

        internal Attached(nint name, CallbackState state) => (_name, _state) = (name, state);

        public void Dispose()
        {
            _state.Dispose();
            Marshal.FreeHGlobal(_name);
        }
    }
}

/// <summary>What is made for one node.</summary>
internal sealed class OperatorKernel
{
    private readonly Action<KernelContext> _compute;
    private readonly Hold _table;

    private OperatorKernel(Action<KernelContext> compute, OperatorTableHandle table)
    {
        _compute = compute;
        _table = new Hold(table);
    }

    internal static nint Create(OperatorDeclaration declaration, nint info)
    {
        using var borrowed = OrtHandle.Borrow<KernelInfoHandle>(info, null);
        Native.OrtCopyKernelInfo(borrowed, out var copy);
        var compute = declaration.CreateKernel(new KernelInfo(copy))
            ?? throw new InvalidOperationException("The operator made no kernel: null.");
        return new CallbackState(new OperatorKernel(compute, declaration.Table)).Pointer;
    }

    internal static nint OnCompute(nint kernel, nint context)
    {
        var call = new KernelContext(context);
        try
        {
            CallbackState.Get<OperatorKernel>(kernel)._compute(call);
            return 0;
        }
        catch (Exception exception)
        {
            return Status.FromException(exception);
        }
        finally
        {
            call.End();
        }
    }

    internal static void OnDestroy(nint kernel)
    {
        var self = CallbackState.Get<OperatorKernel>(kernel);
        CallbackState.Free(kernel);
        try
        {
            (self._compute.Target as IDisposable)?.Dispose();
        }
        catch (Exception)
        {
            // The end of a session has nobody to tell.
        }
        finally
        {
            self._table.Dispose();
        }
    }
}
