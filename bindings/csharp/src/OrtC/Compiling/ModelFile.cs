// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Model files seen from outside: what is in them, will they run here, and how several are put
/// together. Nothing here makes a session or runs anything. Outputs are all or nothing.
/// </summary>
public static unsafe class ModelFile
{
    private delegate void Edit(nint progress, nint state, out InspectionHandle result);

    /// <summary>Describes a file: an ONNX model, compiled or not, or a context binary.</summary>
    /// <exception cref="OrtFileNotFoundException">There is no such file.</exception>
    /// <exception cref="OrtException">It is neither, or a damaged context binary.</exception>
    public static Report Inspect(string path, InspectFlags flags = InspectFlags.None)
    {
        Native.OrtInspectFile(path, (uint)flags, out var inspection);
        return Read(inspection);
    }

    /// <summary>Says what is different in two models, or in two context binaries.</summary>
    public static Report Diff(string firstPath, string secondPath)
    {
        Native.OrtDiffFiles(firstPath, secondPath, out var inspection);
        return Read(inspection);
    }

    /// <summary>
    /// What a model was compiled for, for <see cref="GetCompatibility"/>; null when it has nothing
    /// for the provider. Only the metadata are read.
    /// </summary>
    public static string? GetCompatibilityInfo(string modelPath, string epName)
    {
        nint text;
        Native.OrtGetCompatibilityInfoFromModel(
            modelPath, epName, Allocator.Default.Handle, &text);
        return Text.TakeOrNull(text);
    }

    /// <inheritdoc cref="GetCompatibilityInfo(string, string)"/>
    public static string? GetCompatibilityInfo(ReadOnlySpan<byte> model, string epName)
    {
        nint text;
        fixed (byte* first = model)
        {
            Native.OrtGetCompatibilityInfoFromModelBytes(
                (nint)first, (nuint)model.Length, epName, Allocator.Default.Handle, &text);
        }
        return Text.TakeOrNull(text);
    }

    /// <summary>Says how well a compiled model fits devices of one provider.</summary>
    public static CompiledModelCompatibility GetCompatibility(
        IReadOnlyCollection<EpDevice> devices, string compatibilityInfo)
    {
        using var handles = new HandleArray(devices.Select(device => device.Handle).ToArray());
        Native.OrtGetModelCompatibilityForEpDevices(
            handles.Pointer, handles.Count, compatibilityInfo, out var compatibility);
        return compatibility;
    }

    /// <summary>
    /// The bytes of a model that also gives every tensor of its main graph, so that two can be
    /// compared step by step. Weights and contexts that are in files stay there.
    /// </summary>
    public static byte[] ExposeValues(string modelPath)
    {
        nint block;
        Native.OrtExposeModelValues(modelPath, Allocator.Default.Handle, &block, out var size);
        return Text.TakeBytes(block, size);
    }

    /// <summary>
    /// Puts everything that a compiled model needs into it; with <see cref="EditFlags.External"/>
    /// the other way.
    /// </summary>
    /// <param name="modelPath">The model.</param>
    /// <param name="outputPath">The result; other files are named after it.</param>
    /// <param name="flags">What may be replaced.</param>
    /// <param name="progress">Hears how far it is; what it throws ends the work.</param>
    /// <param name="cancellationToken">Stops the work soon; nothing is left behind.</param>
    /// <returns>The <c>files</c> that were written, and what was <c>renamed</c>.</returns>
    public static Report Pack(
        string modelPath,
        string outputPath,
        EditFlags flags = EditFlags.None,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Run(progress, cancellationToken, (nint hear, nint state, out InspectionHandle result) =>
            Native.OrtPackModel(modelPath, outputPath, (uint)flags, hear, state, out result));

    /// <summary>Makes one model of several, side by side or one feeding the other.</summary>
    /// <param name="modelPaths">Two or more.</param>
    /// <param name="connections">
    /// Each "enc.y=dec.x": output y of the model "enc_ctx.onnx" is input x of "dec_ctx.onnx".
    /// Numbers from 1 name models too.
    /// </param>
    /// <param name="outputPath">The result; other files are named after it.</param>
    /// <param name="flags">What may be replaced.</param>
    /// <param name="progress">Hears how far it is; what it throws ends the work.</param>
    /// <param name="cancellationToken">Stops the work soon; nothing is left behind.</param>
    /// <inheritdoc cref="Pack"/>
    public static Report Merge(
        IReadOnlyCollection<string> modelPaths,
        IReadOnlyCollection<string> connections,
        string outputPath,
        EditFlags flags = EditFlags.None,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        using var models = new Utf8Array(modelPaths);
        using var pairs = new Utf8Array(connections);
        return Run(progress, cancellationToken,
            (nint hear, nint state, out InspectionHandle result) => Native.OrtMergeModels(
                models.Pointer, models.Count, pairs.Pointer, pairs.Count, outputPath, (uint)flags,
                hear, state, out result));
    }

    /// <summary>
    /// Makes a model of one EPContext node, with its own graph of the context alone.
    /// </summary>
    /// <param name="modelPath">The model.</param>
    /// <param name="nodeName">The node, also one in a sub-graph.</param>
    /// <param name="outputPath">The result; other files are named after it.</param>
    /// <param name="flags">What may be replaced.</param>
    /// <param name="progress">Hears how far it is; what it throws ends the work.</param>
    /// <param name="cancellationToken">Stops the work soon; nothing is left behind.</param>
    /// <inheritdoc cref="Pack"/>
    public static Report ExtractContext(
        string modelPath,
        string nodeName,
        string outputPath,
        EditFlags flags = EditFlags.None,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Run(progress, cancellationToken, (nint hear, nint state, out InspectionHandle result) =>
            Native.OrtExtractContext(
                modelPath, nodeName, outputPath, (uint)flags, hear, state, out result));

    /// <summary>
    /// Puts a prefix in front of the names of EPContext nodes and of their graphs; contexts are
    /// written again.
    /// </summary>
    /// <param name="modelPath">The model.</param>
    /// <param name="prefix">Not empty.</param>
    /// <param name="outputPath">The result; other files are named after it.</param>
    /// <param name="flags">What may be replaced.</param>
    /// <param name="progress">Hears how far it is; what it throws ends the work.</param>
    /// <param name="cancellationToken">Stops the work soon; nothing is left behind.</param>
    /// <inheritdoc cref="Pack"/>
    public static Report AddPrefix(
        string modelPath,
        string prefix,
        string outputPath,
        EditFlags flags = EditFlags.None,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Run(progress, cancellationToken, (nint hear, nint state, out InspectionHandle result) =>
            Native.OrtPrefixModel(
                modelPath, prefix, outputPath, (uint)flags, hear, state, out result));

    /// <summary>Reads a description and gives it back.</summary>
    internal static Report Read(InspectionHandle inspection)
    {
        using (inspection)
        {
            nint text;
            Native.OrtInspection_GetJson(inspection, &text);
            return new Report(Utf8.Read(text));
        }
    }

    private static Report Run(
        IProgress<CompileProgress>? progress, CancellationToken token, Edit edit)
    {
        token.ThrowIfCancellationRequested();
        var hear = progress is null
            ? (Action<string, string, double>?)null
            : (stage, detail, fraction) =>
                progress.Report(new CompileProgress(stage, detail, fraction));
        using var state = new CallbackState(new ProgressCallback(hear, token));
        try
        {
            edit(ProgressCallback.Pointer, state.Pointer, out var result);
            return Read(result);
        }
        catch (Exception exception) when (Cancellation.Stopped(exception, token))
        {
            throw Cancellation.Translate(exception, token, false);
        }
    }
}
