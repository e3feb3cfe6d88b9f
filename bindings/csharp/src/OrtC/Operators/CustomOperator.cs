// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// An operator of the program, for <see cref="SessionOptions.RegisterOperators"/>. Its functions
/// are called by any thread, several at once; what they throw comes out of the load or the run.
/// It lives until all options and sessions that know it are gone, also when it is disposed before.
/// </summary>
public sealed class CustomOperator : IDisposable
{
    /// <summary>Declares an operator.</summary>
    /// <param name="domain">The domain that nodes have.</param>
    /// <param name="name">
    /// The operator type that nodes have. Several operators of one name are overloads: they differ
    /// in the types of their inputs or in versions.
    /// </param>
    /// <param name="inputs">An element type is an input that is required.</param>
    /// <param name="outputs">
    /// Of an output of type Undefined the type is what <paramref name="inferShapes"/> says, else
    /// that of the first input of type Undefined.
    /// </param>
    /// <param name="createKernel">
    /// Called for each node when a session is made: reads attributes and gives the function that
    /// computes. When that is a method of an object that is disposable, the object is disposed when
    /// the session ends.
    /// </param>
    /// <param name="inferShapes">
    /// Says types and shapes of outputs before a run; null: they are unknown.
    /// </param>
    /// <param name="sinceVersion">The first opset version of the domain that it is for.</param>
    /// <param name="lastVersion">The last one.</param>
    public CustomOperator(
        string domain,
        string name,
        IEnumerable<FormalParameter> inputs,
        IEnumerable<FormalParameter> outputs,
        Func<KernelInfo, Action<KernelContext>> createKernel,
        Action<ShapeInferContext>? inferShapes = null,
        int sinceVersion = 1,
        int lastVersion = int.MaxValue)
    {
        Domain = domain ?? throw new ArgumentNullException(nameof(domain));
        Name = name ?? throw new ArgumentNullException(nameof(name));
        var declaration = new OperatorDeclaration(
            Checked(inputs, nameof(inputs)),
            Checked(outputs, nameof(outputs)),
            createKernel ?? throw new ArgumentNullException(nameof(createKernel)),
            inferShapes,
            sinceVersion,
            lastVersion);
        Native.OrtCreateCustomOpDomain(domain, out var handle);
        Handle = handle;
        try
        {
            // The domain holds it from now on, and the kernels do.
            using var table = OperatorTable.Create(name, declaration);
            Handle.HoldOwner(table);
            Native.OrtCustomOpDomain_Add(Handle, table.DangerousGetHandle());
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The domain that nodes have.</summary>
    public string Domain { get; }

    /// <summary>The operator type that nodes have.</summary>
    public string Name { get; }

    /// <summary>A domain with this operator alone, which holds the operator's table.</summary>
    internal CustomOpDomainHandle Handle { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Domain}.{Name}";

    /// <summary>Gives the operator back. Options and sessions that know it keep it.</summary>
    public void Dispose() => Handle.Dispose();

    private static FormalParameter[] Checked(IEnumerable<FormalParameter> parameters, string name)
    {
        var all = (parameters ?? throw new ArgumentNullException(name)).ToArray();
        for (var i = 0; i < all.Length; i++)
        {
            if (all[i] is null)
            {
                throw new ArgumentNullException(name, $"Number {i} is null.");
            }
            if (all[i].Kind == ParameterKind.Variadic && i + 1 < all.Length)
            {
                throw new ArgumentException(
                    $"Number {i} is variadic, which only the last one can be.", name);
            }
        }
        return all;
    }
}

/// <summary>What the functions of an operator's table look at.</summary>
internal sealed class OperatorDeclaration
{
    internal OperatorDeclaration(
        FormalParameter[] inputs,
        FormalParameter[] outputs,
        Func<KernelInfo, Action<KernelContext>> createKernel,
        Action<ShapeInferContext>? inferShapes,
        int sinceVersion,
        int lastVersion)
    {
        Inputs = inputs;
        Outputs = outputs;
        CreateKernel = createKernel;
        InferShapes = inferShapes;
        SinceVersion = sinceVersion;
        LastVersion = lastVersion;
    }

    internal FormalParameter[] Inputs { get; }

    internal FormalParameter[] Outputs { get; }

    internal Func<KernelInfo, Action<KernelContext>> CreateKernel { get; }

    internal Action<ShapeInferContext>? InferShapes { get; }

    internal int SinceVersion { get; }

    internal int LastVersion { get; }

    /// <summary>Kernels hold it, so that it outlives the sessions that they are part of.</summary>
    internal OperatorTableHandle Table { get; set; } = null!;
}
