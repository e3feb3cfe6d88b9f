// SPDX-License-Identifier: MIT
// An operator of the program in a model made in memory: operators
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using OrtC;

// docs: begin
FormalParameter[] oneFloat = [TensorElementType.Float];

// y = x where that is positive, else slope * x.
using var leaky = new CustomOperator("samples", "Leaky", oneFloat, oneFloat, info =>
{
    // Once for each node, with what its attributes say.
    var slope = info.HasAttribute("slope") ? info.GetFloat("slope") : 0.01f;
    return context =>
    {
        var x = context.GetInput<float>(0);
        var y = context.GetOutput<float>(0, context.GetInput(0)!.Shape);
        for (var i = 0; i < x.Length; i++)
        {
            y[i] = x[i] > 0 ? x[i] : slope * x[i];
        }
    };
}, inferShapes: context => context.SetOutput(0, context.GetInput(0)));
using var options = new SessionOptions().RegisterOperators(leaky);
// docs: end

var floats = TypeInfo.OfTensor(TensorElementType.Float, 4);
using var attribute = new OpAttribute("slope", 0.5f);
using var graph = new Graph()
    .SetInputs(new ValueInfo("x", floats))
    .SetOutputs(new ValueInfo("y", floats))
    .AddNode(new Node("Leaky", ["x"], ["y"], [attribute], domain: "samples"));
using var model = new Model(graph, new Dictionary<string, int> { [""] = 17, ["samples"] = 1 });

using var env = new Env("operators");
using var session = Session.FromModel(env, model, options);
using var x = new Tensor<float>([-2, -1, 1, 2], 4);
using var outputs = session.Run(new Dictionary<string, Value> { ["x"] = x });
var shown = outputs["y"].ToArray<float>().Select(y => y.ToString(CultureInfo.InvariantCulture));
Console.WriteLine($"[{string.Join(", ", shown)}]");
