// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using Xunit;

namespace OrtC.Tests;

public class GraphTests
{
    [Fact]
    public void A_graph_shows_its_nodes_and_values()
    {
        var path = Rig.CopyOf(Rig.Model("first.onnx"));
        using var graph = Graph.Load(Rig.Env, path);
        Assert.Equal("first", graph.Name);
        Assert.Equal(path, graph.ModelPath);
        Assert.Equal(8, graph.IrVersion);
        Assert.Equal(17, graph.OperatorSets[""]);
        Assert.Equal("ortc tests", graph.Metadata.ProducerName);
        Assert.Null(graph.ParentNode);
        Assert.Equal("x: Float[1,256]", graph.Inputs.Single().ToString());
        Assert.Equal(["V", "W"], graph.Initializers.Select(value => value.Name).Order());
        Assert.Equal(["MatMul", "Relu", "MatMul"], graph.Nodes.Select(node => node.OperatorType));
        var first = graph.Nodes[0];
        Assert.Equal(("", ""), (first.Domain, first.EpName));
        Assert.Equal(13, first.SinceVersion);
        Assert.NotEqual(first.Id, graph.Nodes[1].Id);
        Assert.Equal("MatMul", first.ToString());
        Assert.Equal(["x", "W"], first.Inputs.Select(value => value!.Name));
        Assert.Equal("first", first.Graph.Name);
        Assert.Empty(first.ImplicitInputs);
        Assert.Empty(first.Attributes);
        Assert.Empty(first.GetSubgraphs());
        Rig.Fails(ErrorCode.NotFound, () => first.GetAttribute("nothing"));

        var a = first.Outputs[0]!;
        Assert.Equal((first.Id, 0), (a.Producer!.Value.Node.Id, a.Producer.Value.Output));
        Assert.Equal(graph.Nodes[1].Id, a.Consumers.Single().Node.Id);
        Assert.Equal(0, a.Consumers.Single().Input);
        Assert.Null(a.InitializerValue);
        var w = first.Inputs[1]!;
        Assert.Equal([256L, 256L], w.InitializerValue!.Shape);
        Assert.Null(w.ExternalInitializer);
        Assert.True(w.IsConstantInitializer);
        Assert.Null(w.Producer);
        var x = graph.Inputs[0];
        Assert.True(x.IsRequiredGraphInput);
        Assert.False(x.IsOptionalGraphInput);
        Assert.True(graph.Outputs.Single().IsGraphOutput);
        Assert.False(x.IsFromOuterScope);
        using var view = graph.GetView([first]);
        Assert.Equal("sub_graph", view.Name);
        Assert.Single(view.Nodes);
    }

    [Fact]
    public void What_is_borrowed_keeps_its_graph()
    {
        IReadOnlyList<Node> nodes;
        using (var graph = Graph.FromBytes(Rig.Env, File.ReadAllBytes(Rig.Model("first.onnx"))))
        {
            nodes = graph.Nodes;
            Assert.Equal("", graph.ModelPath);
        }
        GC.Collect();
        Assert.Equal("Relu", nodes[1].OperatorType);
        Assert.Equal("a", nodes[1].Inputs[0]!.Name);
    }

    [Fact]
    public void Sub_graphs_and_external_bytes_are_seen()
    {
        using var graph = Graph.Load(Rig.Env, Rig.Data("counting.onnx"));
        var loop = graph.Nodes.Single(node => node.OperatorType == "Loop");
        var body = loop.GetSubgraphs()["body"];
        Assert.Equal(loop.Id, body.ParentNode!.Id);
        Assert.Equal(OpAttrType.Graph, loop.GetAttribute("body")!.Type);
        Assert.Null(loop.Inputs[1]);
        using var folded = Graph.Load(Rig.Env, Rig.Data("described.onnx"));
        Assert.Contains(folded.Inputs, value => value.IsOptionalGraphInput);

        var folder = Rig.NewFolder();
        var model = Path.Combine(folder, "m.onnx");
        File.Copy(Rig.Data("weights_elsewhere.onnx"), model);
        File.WriteAllBytes(Path.Combine(folder, "weights.bin"), new byte[24]);
        using var elsewhere = Graph.Load(Rig.Env, model);
        var bias = elsewhere.Initializers.Single(value => value.Name == "bias");
        Assert.Equal(new ExternalInitializerInfo("weights.bin", 16, 8), bias.ExternalInitializer);
        Assert.Equal("weights.bin at 16, 8 bytes", bias.ExternalInitializer!.ToString());
    }

    [Fact]
    public void Attributes_hold_what_they_were_made_of()
    {
        OpAttribute[] attributes =
        [
            new("int", 7), new("float", 0.5f), new("text", "größe"), new("ints", [1L, 2L]),
            new("floats", [1f, 2f]), new("texts", ["ä", "", "b"]), new("none", Array.Empty<long>()),
        ];
        using var node = new Node("Op", ["x", ""], ["y"], attributes, "domain", "name");
        Assert.Throws<ObjectDisposedException>(() => attributes[0].Name);
        attributes[0].Dispose();
        Assert.Equal(("Op", "domain", "name"), (node.OperatorType, node.Domain, node.Name));
        Assert.Equal("Op \"name\"", node.ToString());
        var read = node.Attributes.ToDictionary(attribute => attribute.Name);
        Assert.Equal(7, read["int"].GetInt());
        Assert.Equal(0.5f, read["float"].GetFloat());
        Assert.Equal("größe", read["text"].GetString());
        Assert.Equal([1L, 2L], read["ints"].GetInts());
        Assert.Equal([1f, 2f], read["floats"].GetFloats());
        Assert.Equal(["ä", "", "b"], read["texts"].GetStrings());
        Assert.Empty(read["none"].GetInts());
        Assert.Equal(OpAttrType.Ints, read["ints"].Type);
        Assert.Equal("ints: Ints", read["ints"].ToString());
        Rig.Fails(ErrorCode.InvalidArgument, () => read["int"].GetFloats());
        Rig.Fails(ErrorCode.InvalidArgument, () => read["int"].GetTensor());
        Rig.Fails(ErrorCode.InvalidArgument, () => new OpAttribute("", 1L));
        using var lone = new OpAttribute("lone", 1L);
    }

    [Fact]
    public void A_model_is_made_in_memory_and_runs()
    {
        using var model = AddModel();
        using var session = Session.FromModel(Rig.Env, model);
        Assert.Equal([11f, 22], Rig.RunFloats(session, [1, 2], 2));
        using var options = Rig.Aot();
        using var compiler = new ModelCompiler(Rig.Env, options);
        compiler.Options.SetInputModel(model).SetEmbedMode(true);
        using var compiled = Session.FromBytes(Rig.Env, compiler.CompileToBytes(), options);
        Assert.Equal([11f, 22], Rig.RunFloats(compiled, [1, 2], 2));
    }

    [Fact]
    public void A_session_gets_more_nodes()
    {
        foreach (var fromFile in new[] { true, false })
        {
            using var session = fromFile
                ? Session.Edit(Rig.Env, Rig.Model("trivial.onnx"))
                : Session.Edit(Rig.Env, File.ReadAllBytes(Rig.Model("trivial.onnx")));
            using var graph = new Graph();
            graph.SetOutputs(new ValueInfo("z", TypeInfo.OfTensor(TensorElementType.Float, 1, 4)))
                .AddNode(new Node("Neg", ["y"], ["z"]));
            using var model = new Model(graph, 17);
            session.ApplyModel(model);
            session.FinishEditing();
            Assert.Equal("z", session.Outputs.Single().Name);
            Assert.Equal([-2f, -3, -4, -5], Rig.RunFloats(session, [1, 2, 3, 4], 1, 4));
            Rig.Fails(ErrorCode.ModelLoaded, () => session.ApplyModel(model));
        }
    }

    [Fact]
    public void Wrong_models_are_refused()
    {
        using var empty = new Model(null, new Dictionary<string, int> { [""] = 17 });
        Rig.Fails(ErrorCode.InvalidArgument, () => Session.FromModel(Rig.Env, empty));
        empty.SetGraph(new Graph());
        Rig.Fails(ErrorCode.InvalidArgument, () => empty.SetGraph(new Graph()));
        using var graph = new Graph();
        graph.AddNode(new Node("Neg", ["x"], ["y"]));
        Rig.Fails(ErrorCode.InvalidArgument, () => graph.AddNode(new Node("Abs", ["x"], ["y"])));
        Rig.Fails(ErrorCode.NotImplemented, () => graph.IrVersion.ToString());
        new ValueInfo("lone", TypeInfo.OfTensor(TensorElementType.Float, 1)).Dispose();
        Rig.Fails(ErrorCode.InvalidArgument,
            () => new ValueInfo("", TypeInfo.OfTensor(TensorElementType.Float, 1)));
        Rig.Fails(ErrorCode.NotImplemented, () => new ValueInfo(
            "s", TypeInfo.OfSequence(TypeInfo.OfTensor(TensorElementType.Float, 1))));
        Rig.Fails(ErrorCode.InvalidProtobuf, () => Graph.FromBytes(Rig.Env, [1, 2, 3]));
        Assert.Throws<OrtFileNotFoundException>(() => Graph.Load(Rig.Env, "nothing.onnx"));
    }

    [Fact]
    public void Types_are_made_and_read_back()
    {
        var tensor = TypeInfo.OfTensor(
            new TensorInfo(TensorElementType.Float, [-1, 2], ["batch", ""]));
        Assert.Equal("Float[batch,2]", tensor.ToString());
        Assert.Equal("Float", TypeInfo.OfTensor(
            new TensorInfo(TensorElementType.Float, null)).ToString());
        TypeInfo[] types =
        [
            tensor, TypeInfo.OfSparseTensor(new TensorInfo(TensorElementType.Int64, [3])),
            TypeInfo.OfSequence(tensor), TypeInfo.OfOptional(TypeInfo.OfSequence(tensor)),
            TypeInfo.OfMap(TensorElementType.String, tensor),
            TypeInfo.OfTensor(new TensorInfo(TensorElementType.Double, null)),
        ];
        foreach (var type in types)
        {
            Assert.Equal(type.ToString(), type.RoundTrip().ToString());
        }
        Assert.Throws<ArgumentException>(
            () => new TensorInfo(TensorElementType.Float, [1], ["a", "b"]));
        Rig.Fails(ErrorCode.InvalidArgument,
            () => TypeInfo.OfMap(TensorElementType.Float, tensor).RoundTrip());
    }

    [Fact]
    public void Memory_under_initializers_stays_as_long_as_the_model()
    {
        var memory = new WatchedMemory(new float[64]);
        var graph = new Graph();
        graph.AddInitializer("w", new Tensor<float>(memory.Memory, 64), useMemory: true);
        var model = new Model(graph, 17);
        graph.AddInitializer("v", new Tensor<float>(memory.Memory, 64), useMemory: true);
        graph.Dispose();
        Assert.Equal(2, memory.Pins);
        model.Dispose();
        Assert.Equal(0, memory.Pins);
    }

    private sealed unsafe class WatchedMemory : MemoryManager<float>
    {
        private readonly float[] _data;
        private GCHandle _pin;

        internal WatchedMemory(float[] data) => _data = data;

        internal int Pins { get; private set; }

        public override Span<float> GetSpan() => _data;

        public override MemoryHandle Pin(int elementIndex = 0)
        {
            if (Pins++ == 0)
            {
                _pin = GCHandle.Alloc(_data, GCHandleType.Pinned);
            }
            var first = (float*)_pin.AddrOfPinnedObject();
            return new MemoryHandle(first + elementIndex, default, this);
        }

        public override void Unpin()
        {
            if (--Pins == 0)
            {
                _pin.Free();
            }
        }

        protected override void Dispose(bool disposing)
        {
        }
    }

    private static Model AddModel()
    {
        var bias = new float[64];
        var vector = TypeInfo.OfTensor(TensorElementType.Float, 2);
        var graph = new Graph()
            .SetInputs(new ValueInfo("x", vector))
            .SetOutputs(new ValueInfo("y", vector))
            .AddInitializer("bias", new Tensor<float>([10, 20], 2))
            .AddInitializer("unused", new Tensor<float>(bias, 64), useMemory: true)
            .AddNode(new Node("Add", ["x", "bias"], ["y"], name: "größe"));
        return new Model(graph, 17);
    }
}
