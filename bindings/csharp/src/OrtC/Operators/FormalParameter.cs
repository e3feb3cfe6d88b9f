// SPDX-License-Identifier: MIT
using System;

namespace OrtC;

/// <summary>
/// An input or output of a <see cref="CustomOperator"/>. An element type stands for one that is
/// required. Does not change.
/// </summary>
public sealed class FormalParameter
{
    private FormalParameter(
        TensorElementType type, ParameterKind kind, int minArity = 1, bool isHomogeneous = true)
    {
        Type = type;
        Kind = kind;
        MinArity = minArity;
        IsHomogeneous = isHomogeneous;
    }

    /// <summary>Any value: tensors of every type, sequences, maps.</summary>
    public static FormalParameter Any { get; } = Required(TensorElementType.Undefined);

    /// <summary>The element type; Undefined is any value.</summary>
    public TensorElementType Type { get; }

    /// <summary>Whether it must be there.</summary>
    public ParameterKind Kind { get; }

    /// <summary>How many values a variadic one has at least.</summary>
    public int MinArity { get; }

    /// <summary>Whether all values of a variadic one are of one type.</summary>
    public bool IsHomogeneous { get; }

    /// <summary>One that must be there.</summary>
    public static FormalParameter Required(TensorElementType type) =>
        new(type, ParameterKind.Required);

    /// <summary>One that a node may leave out.</summary>
    public static FormalParameter Optional(TensorElementType type) =>
        new(type, ParameterKind.Optional);

    /// <summary>Any number of values; only the last one.</summary>
    /// <param name="type">Undefined is any value.</param>
    /// <param name="minArity">The least number.</param>
    /// <param name="isHomogeneous">Whether all are of one type.</param>
    public static FormalParameter Variadic(
        TensorElementType type, int minArity = 1, bool isHomogeneous = true) =>
        new(type, ParameterKind.Variadic, minArity, isHomogeneous);

    /// <summary>One that must be there.</summary>
    public static implicit operator FormalParameter(TensorElementType type) => Required(type);

    /// <inheritdoc/>
    public override string ToString() => $"{Kind} {Type}";
}
