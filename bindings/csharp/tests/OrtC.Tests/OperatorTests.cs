// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;
using static OrtC.Tests.OperatorRig;

namespace OrtC.Tests;

public class OperatorTests
{
    [Fact]
    public void An_operator_reads_and_writes_memory_of_the_run()
    {
        var seen = 0L;
        using var twice = Computes("Twice", context =>
        {
            var x = context.GetInput(0)!;
            seen = x.DataPointer;
            var y = context.GetOutput<float>(0, x.Shape);
            for (var i = 0; i < y.Length; i++)
            {
                y[i] = 2 * x.AsReadOnlySpan<float>()[i];
            }
        });
        using var model = ModelOf(Node("Twice"));
        using var session = SessionOf(model, twice);
        using var x = new Tensor<float>([1, 2, 3], 3);
        using var outputs = session.Run(Rig.Inputs("x", x));
        Assert.Equal([2f, 4, 6], outputs["y"].ToArray<float>());
        Assert.Equal(x.DataPointer, seen);
        Assert.Equal("mine.Twice", twice.ToString());
    }

    [Fact]
    public void Numbers_of_every_type_pass()
    {
        Pass(1.5, 2);
        Pass<sbyte>(-1, 2);
        Pass<byte>(1, 2);
        Pass<short>(-1, 2);
        Pass<ushort>(1, 2);
        Pass(-1, 2);
        Pass(1u, 2u);
        Pass(-1L, 2L);
        Pass(1ul, 2ul);
        Pass(true, false);
#if NEW_DOTNET
        Pass((Half)1.5, (Half)2);
#endif
        Pass((BFloat16)1.5f, (BFloat16)2f);
    }

    private static void Pass<T>(params T[] values)
        where T : unmanaged
    {
        using var example = new Tensor<T>(values, values.Length);
        var type = example.ElementType;
        using var keep = new CustomOperator("mine", "Keep", [type], [type], _ => context =>
            context.GetInput<T>(0).CopyTo(context.GetOutput<T>(0, values.Length)));
        using var model = ModelOf([Tensor("x", type)], [Tensor("y", type)], [Node("Keep")]);
        using var session = SessionOf(model, keep);
        using var outputs = session.Run(Rig.Inputs("x", example));
        Assert.Equal(values, outputs["y"].ToArray<T>());
    }

    [Fact]
    public void Texts_are_strings()
    {
        FormalParameter[] text = [TensorElementType.String];
        using var upper = new CustomOperator("mine", "Upper", text, text, _ => context =>
        {
            var x = context.GetInput(0)!;
            context.GetOutput(0, x.Shape)!.SetStrings(
                x.GetStrings().Select(one => one.ToUpperInvariant()).ToArray());
        });
        using var model = ModelOf([Tensor("x", TensorElementType.String)],
            [Tensor("y", TensorElementType.String)], [Node("Upper")]);
        using var session = SessionOf(model, upper);
        using var x = Value.FromStrings(["zwölf", "", "a\0b"]);
        using var outputs = session.Run(Rig.Inputs("x", x));
        Assert.Equal(["ZWÖLF", "", "A\0B"], outputs["y"].GetStrings());
    }

    [Fact]
    public void Inputs_may_be_left_out_and_outputs_not_wanted()
    {
        using var some = new CustomOperator("mine", "Some",
            [TensorElementType.Float, FormalParameter.Optional(TensorElementType.Float),
                FormalParameter.Optional(TensorElementType.Float)],
            [FormalParameter.Optional(TensorElementType.Float), TensorElementType.Float],
            _ => context =>
            {
                Assert.Equal(2, context.OutputCount);
                Assert.Null(context.GetOutput(0, 1));
                Assert.True(context.GetOutput<float>(0, 1).IsEmpty);
                context.GetOutput<float>(1, 1)[0] =
                    Enumerable.Range(0, context.InputCount)
                        .Sum(i => context.GetInput(i)?.AsReadOnlySpan<float>()[0] ?? 100);
            });
        foreach (var (inputs, expected) in new[] { ("x", 1f), ("x _ x", 102f), ("x x x", 3f) })
        {
            using var model = ModelOf(Node("Some", inputs, "_ y"));
            Assert.Equal([expected], Run(model, [1], some));
        }
    }

    [Fact]
    public void Variadic_values_are_any_number_of_any_types()
    {
        using var count = new CustomOperator("mine", "Count",
            [FormalParameter.Variadic(TensorElementType.Undefined, 2, isHomogeneous: false)],
            [FormalParameter.Variadic(TensorElementType.Float)],
            _ => context =>
            {
                for (var i = 0; i < context.OutputCount; i++)
                {
                    context.GetOutput<float>(i, 1)[0] = (float)context.GetInput(i)!.ElementType;
                }
            });
        using var model = ModelOf(
            [Tensor("x"), Tensor("n", TensorElementType.Int64)], [Tensor("y"), Tensor("z")],
            [Node("Count", "x n", "y z")]);
        using var session = SessionOf(model, count);
        using var x = new Tensor<float>([0], 1);
        using var n = new Tensor<long>([0], 1);
        using var outputs = session.Run(new Dictionary<string, Value> { ["x"] = x, ["n"] = n });
        Assert.Equal([(float)TensorElementType.Float], outputs["y"].ToArray<float>());
        Assert.Equal([(float)TensorElementType.Int64], outputs["z"].ToArray<float>());
        using var few = ModelOf(Node("Count"));
        Rig.Fails(ErrorCode.InvalidGraph, "has input size 1 not in range [min=2",
            () => SessionOf(few, count));
        Assert.Equal("Variadic Float",
            FormalParameter.Variadic(TensorElementType.Float).ToString());
    }

    [Fact]
    public void A_sequence_is_a_value_of_any_type()
    {
        using var length = new CustomOperator("mine", "Length", [FormalParameter.Any],
            [TensorElementType.Float], _ => context =>
                context.GetOutput<float>(0, 1)[0] = context.GetInput(0)!.GetElements().Length);
        using var model = ModelOf(
            new Node("SequenceConstruct", ["x", "x"], ["s"]), Node("Length", "s"));
        Assert.Equal([2f], Run(model, [1], length));
    }

    [Fact]
    public void A_kernel_is_told_of_its_node()
    {
        KernelInfo? kept = null;
        using var tell = new CustomOperator("mine", "Tell",
            [TensorElementType.Float, FormalParameter.Optional(TensorElementType.Float),
                TensorElementType.Float],
            OneFloat, info =>
            {
                kept = info;
                Assert.Equal(("told", "Tell", "mine"),
                    (info.NodeName, info.OperatorType, info.Domain));
                Assert.Equal(1, info.SinceVersion);
                Assert.Equal(["x", "", "w"], info.InputNames);
                Assert.Equal(["y"], info.OutputNames);
                Assert.Equal("Float[?]", info.GetInputType(0).ToString());
                Assert.Equal("Float[?]", info.GetOutputType(0).ToString());
                Rig.Fails(ErrorCode.InvalidGraph, () => info.GetInputType(1));
                Assert.Null(info.GetConstantInput(0));
                Assert.Equal("1", info.ConfigEntries["session.intra_op.allow_spinning"]);
                Assert.Equal(LoggingLevel.Warning, info.Logger.Severity);
                using var allocator = info.GetAllocator();
                Assert.Equal("Cpu", allocator.MemoryInfo.Name);
                using var w = info.GetConstantInput(2)!;
                var more = w.At<float>(0);
                return context => context.GetOutput<float>(0, 1)[0] =
                    context.GetInput<float>(0)[0] + more;
            });
        using var options = new SessionOptions().RegisterOperators(tell);
        options["session.intra_op.allow_spinning"] = "1";
        var graph = new Graph().SetInputs(Tensor("x")).SetOutputs(Tensor("y"))
            .AddInitializer("w", new Tensor<float>([10], 1))
            .AddNode(new Node("Tell", ["x", "", "w"], ["y"], name: "told", domain: "mine"));
        using var model = new Model(
            graph, new Dictionary<string, int> { [""] = 17, ["mine"] = 1 });
        using (var session = Session.FromModel(Rig.Env, model, options))
        {
            Assert.Equal([11f], Rig.RunFloats(session, [1], 1));
        }
        using (var w = kept!.GetConstantInput(2)!)
        {
            Assert.Equal([10f], w.ToArray<float>());
        }
        kept.Dispose();
        Assert.Throws<ObjectDisposedException>(() => kept.NodeName);
    }

    [Fact]
    public void Attributes_of_each_kind_arrive()
    {
        using var read = new CustomOperator("mine", "Read", OneFloat, OneFloat, info =>
        {
            Assert.Equal(3, info.GetInt("i"));
            Assert.Equal(0.5f, info.GetFloat("f"));
            Assert.Equal("täxt", info.GetString("s"));
            Assert.Equal([1L, 2], info.GetInts("ints"));
            Assert.Equal([0.25f, 0.5f], info.GetFloats("floats"));
            Assert.Equal(["a", "b"], info.GetStrings("strings"));
            Assert.Equal(
                [true, true, false], new[] { "i", "strings", "none" }.Select(info.HasAttribute));
            Rig.Fails(ErrorCode.Fail, "'none'", () => info.GetInt("none"));
            Rig.Fails(ErrorCode.Fail, "'s' is not a whole number", () => info.GetInt("s"));
            return context => context.GetInput<float>(0).CopyTo(context.GetOutput<float>(0, 1));
        });
        using var model = ModelOf(Node("Read", "x", "y",
            new OpAttribute("i", 3), new OpAttribute("f", 0.5f), new OpAttribute("s", "täxt"),
            new OpAttribute("ints", [1L, 2]), new OpAttribute("floats", [0.25f, 0.5f]),
            new OpAttribute("strings", ["a", "b"])));
        Assert.Equal([7f], Run(model, [7], read));
    }

    [Fact]
    public void An_attribute_may_be_a_tensor()
    {
        using var read = new CustomOperator("mine", "Attributes", OneFloat, OneFloat, info =>
        {
            Assert.Equal(["one", "", "three"], info.GetStrings("texts"));
            using var tensor = info.GetTensor("tensor");
            Assert.Equal([2L, 3], tensor.Shape);
            var last = tensor.At<long>(1, 2);
            return context => context.GetOutput<float>(0, 1)[0] =
                context.GetInput<float>(0)[0] + last;
        });
        using var options = new SessionOptions().RegisterOperators(read);
        using var session = new Session(Rig.Env, Rig.Model("attributes.onnx"), options);
        Assert.Equal([7f], Rig.RunFloats(session, [1], 1));
    }

    [Fact]
    public void Types_and_shapes_are_known_before_a_run()
    {
        using var repeat = new CustomOperator("mine", "Repeat",
            [FormalParameter.Any], [FormalParameter.Any],
            info =>
            {
                var times = info.GetInt("times");
                return context =>
                {
                    var x = context.GetInput<float>(0);
                    var y = context.GetOutput<float>(0, times, x.Length);
                    for (var i = 0; i < times; i++)
                    {
                        x.CopyTo(y.Slice(i * x.Length));
                    }
                };
            },
            context =>
            {
                Assert.Equal(1, context.InputCount);
                Assert.Null(context.GetAttribute("nothing"));
                var x = context.GetInput(0);
                context.SetOutput(0, new TensorInfo(x.ElementType,
                    [context.GetAttribute("times")!.GetInt(), x.Shape[0]],
                    ["", x.DimensionNames[0]]));
            });
        using var model = ModelOf(
            [new ValueInfo("x", TypeInfo.OfTensor(
                new TensorInfo(TensorElementType.Float, [-1], ["n"])))],
            [new ValueInfo("y", TypeInfo.OfTensor(
                new TensorInfo(TensorElementType.Float, null)))],
            [Node("Repeat", "x", "y", new OpAttribute("times", 2))]);
        using var session = SessionOf(model, repeat);
        Assert.Equal("y: Float[2,n]", session.Outputs[0].ToString());
        Assert.Equal([1f, 2, 1, 2], Rig.RunFloats(session, [1, 2], 2));
    }

    [Fact]
    public void The_context_helps_with_the_work()
    {
        using var square = Computes("Square", context =>
        {
            Assert.Equal((1, 1), (context.InputCount, context.OutputCount));
            Assert.Equal((0, 0), (context.GpuComputeStream, context.SyncStream));
            Assert.Equal(LoggingLevel.Warning, context.Logger.Severity);
            Assert.Equal(16, context.GetScratch(16).Length);
            context.GetScratch(16).Clear();
            Assert.True(context.GetScratch(0).IsEmpty);
            Rig.Fails(ErrorCode.InvalidArgument, "resource 1", () => context.GetResource(1, 1));
            using var allocator = context.GetAllocator();
            using var block = allocator.Allocate(8);
            var count = context.GetInput(0)!.ElementCount;
            context.GetOutput(0, count);
            context.ParallelFor(count, i =>
            {
                var x = context.GetInput<float>(0)[(int)i];
                context.GetOutput<float>(0, count)[(int)i] = x * x;
            }, 3);
        });
        using var model = ModelOf(Node("Square"));
        var x = Enumerable.Range(0, 100).Select(i => (float)i).ToArray();
        Assert.Equal(x.Select(one => one * one), Run(model, x, square));
    }

    [Fact]
    public void Kernels_call_operators_of_onnx()
    {
        using var softmax = new CustomOperator("mine", "SumSoftmax", OneFloat, OneFloat, info =>
        {
            var add = new EagerOperator(info, "Add", 14, 2);
            using var axis = new OpAttribute("axis", -1);
            using var never = new EagerOperator(info, "Neg", 13, 1);
            var normalise = new EagerOperator(info, "Softmax", 13, 1, attributes: [axis]);
            Rig.Fails(ErrorCode.NotImplemented, "Nonsense", () => new EagerOperator(info, "Nonsense", 17, 1));
            return context =>
            {
                var x = context.GetInput(0)!;
                using var sum = Tensor<float>.Allocate(x.Shape);
                add.Invoke(context, [x, x], [sum]);
                normalise.Invoke(context, [sum], [context.GetOutput(0, x.Shape)]);
                Rig.Fails(ErrorCode.InvalidArgument, "'input_count' is 1",
                    () => add.Invoke(context, [x], [sum]));
            };
        });
        using var model = ModelOf(Node("SumSoftmax"));
        Assert.Equal([0.5f, 0.5f], Run(model, [3, 3], softmax));
    }

    [Fact]
    public void Overloads_differ_in_types_or_versions()
    {
        using var floats = new CustomOperator("mine", "Say", OneFloat, OneFloat,
            _ => context => context.GetOutput<float>(0, 1)[0] = 1);
        using var doubles = new CustomOperator("mine", "Say", [TensorElementType.Double], OneFloat,
            _ => context => context.GetOutput<float>(0, 1)[0] = 2);
        using var model = ModelOf(Node("Say"));
        Assert.Equal([1f], Run(model, [0], doubles, floats));

        using var old = new CustomOperator("mine", "Plus", OneFloat, OneFloat,
            _ => context => context.GetOutput<float>(0, 1)[0] = 1, lastVersion: 2);
        using var young = new CustomOperator("mine", "Plus", OneFloat, OneFloat,
            _ => context => context.GetOutput<float>(0, 1)[0] = 2, sinceVersion: 3);
        foreach (var (version, expected) in new[] { (1, 1f), (2, 1f), (3, 2f), (4, 2f) })
        {
            using var of = ModelOf([Tensor("x")], [Tensor("y")], [Node("Plus")], version);
            Assert.Equal([expected], Run(of, [0], old, young));
        }
    }

    [Fact]
    public void What_stands_around_it_is_compiled()
    {
        using var add = Each("Add1", x => x + 1);
        using var model = ModelOf(
            new Node("Neg", ["x"], ["a"]), Node("Add1", "a", "b"), new Node("Neg", ["b"], ["y"]));
        using var options = Rig.Aot().RegisterOperators(add);
        using var compiler = new ModelCompiler(Rig.Env, options);
        compiler.Options.SetInputModel(model).SetEmbedMode(true);
        var context = compiler.CompileToBytes();
        using var graph = Graph.FromBytes(Rig.Env, context);
        Assert.Equal(["EPContext", "Add1", "EPContext"],
            graph.Nodes.Select(node => node.OperatorType));
        using var session = Session.FromBytes(Rig.Env, context, options);
        Assert.Equal([0f, 1], Rig.RunFloats(session, [1, 2], 2));
        using var without = Rig.Aot();
        var refused = Record.Exception(() => Session.FromBytes(Rig.Env, context, without));
        Assert.Contains("mine.Add1", refused!.Message);
    }
}
