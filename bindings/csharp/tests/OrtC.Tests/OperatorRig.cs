// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;

namespace OrtC.Tests;

/// <summary>Models with operators of the domain "mine", and sessions that know some.</summary>
internal static class OperatorRig
{
    internal static readonly FormalParameter[] OneFloat = [TensorElementType.Float];

    internal static ValueInfo Tensor(
        string name, TensorElementType type = TensorElementType.Float, params long[] shape) =>
        new(name, TypeInfo.OfTensor(type, shape.Length == 0 ? [-1] : shape));

    /// <summary>A node; names with blanks between, "_" for one that is left out.</summary>
    internal static Node Node(
        string type, string inputs = "x", string outputs = "y", params OpAttribute[] attributes) =>
        new(type, Names(inputs), Names(outputs), attributes, domain: "mine");

    /// <summary>A model of float vectors x and y.</summary>
    internal static Model ModelOf(params Node[] nodes) =>
        ModelOf([Tensor("x")], [Tensor("y")], nodes);

    internal static Model ModelOf(
        ValueInfo[] inputs, ValueInfo[] outputs, Node[] nodes, int mine = 1)
    {
        var graph = new Graph().SetInputs(inputs).SetOutputs(outputs);
        foreach (var node in nodes)
        {
            graph.AddNode(node);
        }
        return new Model(graph, new Dictionary<string, int> { [""] = 17, ["mine"] = mine });
    }

    /// <summary>An operator of one float input and output that computes each element.</summary>
    internal static CustomOperator Each(string name, Func<float, float> function) =>
        Computes(name, context =>
        {
            var x = context.GetInput<float>(0);
            var y = context.GetOutput<float>(0, x.Length);
            for (var i = 0; i < x.Length; i++)
            {
                y[i] = function(x[i]);
            }
        });

    internal static CustomOperator Computes(string name, Action<KernelContext> compute) =>
        new("mine", name, OneFloat, OneFloat, _ => compute);

    internal static Session SessionOf(Model model, params CustomOperator[] operators)
    {
        using var options = new SessionOptions().RegisterOperators(operators);
        options[SessionConfigKeys.StrictShapeTypeInference] = "1";
        return Session.FromModel(Rig.Env, model, options);
    }

    /// <summary>Runs a model of one float vector x and one y.</summary>
    internal static float[] Run(Model model, float[] x, params CustomOperator[] operators)
    {
        using var session = SessionOf(model, operators);
        return Rig.RunFloats(session, x, x.Length);
    }

    private static string[] Names(string names) =>
        names.Split(' ').Select(name => name == "_" ? "" : name).ToArray();
}
