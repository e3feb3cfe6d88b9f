// SPDX-License-Identifier: MIT
using System;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// Takes the next piece of a compiled model: 1 to 1048576 bytes, valid in the call.
/// </summary>
public delegate void ModelWriter(ReadOnlySpan<byte> piece);

/// <summary>
/// Takes one context binary whole, in place of a file: by the name that the EPContext node says.
/// </summary>
public delegate void ContextDataWriter(string fileName, ReadOnlySpan<byte> data);

/// <summary>
/// Says where an initializer of the compiled model stands; the program sees to the bytes.
/// </summary>
/// <param name="name">Of the initializer.</param>
/// <param name="value">Valid in the call. Never strings.</param>
/// <param name="current">Where the source had it; null when it stood in the model.</param>
/// <returns>
/// The place, relative to the model and beneath its folder; null keeps it in the model.
/// </returns>
public delegate ExternalInitializerInfo? InitializerLocator(
    string name, Value value, ExternalInitializerInfo? current);

/// <summary>
/// What is compiled, and where it goes. What the program's functions throw ends the compile and
/// comes out of it. One thread at a time may change the options.
/// </summary>
public sealed unsafe partial class ModelCompilationOptions : IDisposable
{
    private static readonly ModelWriter s_outputIsGone = _ => throw new InvalidOperationException(
        "The last output took one compile; say with SetOutputModel where this one goes.");

    private static readonly InitializerLocator s_initializersAreGone = (_, _, _) =>
        throw new InvalidOperationException("The last place of initializers took one compile; say " +
            "with SetExternalInitializersFile or SetInitializerLocator where they stand in this " +
            "one.");

    private readonly Env _env;
    private nint _outputIsGone;
    private nint _initializersAreGone;

    /// <summary>Makes compile options from session options.</summary>
    /// <param name="env">May be disposed before the compile.</param>
    /// <param name="sessionOptions">
    /// Providers, config entries and so on are copied; the graph optimization level starts at
    /// DisableAll.
    /// </param>
    public ModelCompilationOptions(Env env, SessionOptions sessionOptions)
    {
        _env = env ?? throw new ArgumentNullException(nameof(env));
        Native.OrtCreateModelCompilationOptionsFromSessionOptions(
            env.Handle, (sessionOptions ?? throw new ArgumentNullException(nameof(sessionOptions)))
                .Handle, out var handle);
        Handle = handle;
        Handle.HoldOwner(env.Handle);
        Handle.HoldOwner(sessionOptions.Handle);
    }

    internal ModelCompilationOptionsHandle Handle { get; }

    /// <summary>Takes the model from a file. The last call that names an input counts.</summary>
    public ModelCompilationOptions SetInputModel(string path)
    {
        Native.OrtModelCompilationOptions_SetInputModelPath(Handle, path);
        return this;
    }

    /// <summary>Takes the model from memory, which is pinned, not copied.</summary>
    public ModelCompilationOptions SetInputModel(ReadOnlyMemory<byte> bytes)
    {
        var pin = new Pinned(bytes);
        Handle.Attach(pin);
        Native.OrtModelCompilationOptions_SetInputModelFromBuffer(
            Handle, pin.Pointer, (nuint)bytes.Length);
        return this;
    }

    /// <summary>Takes a model that was made in memory; it is read when compiling begins.</summary>
    public ModelCompilationOptions SetInputModel(Model model)
    {
        Native.OrtModelCompilationOptions_SetInputModel(Handle, model.Handle);
        Handle.HoldOwner(model.Handle);
        return this;
    }

    /// <summary>
    /// Writes the compiled model to a file. Without any output it is the input's path with
    /// <c>_ctx.onnx</c> in place of the extension. The last call that names an output counts.
    /// </summary>
    public ModelCompilationOptions SetOutputModel(string path)
    {
        Native.OrtModelCompilationOptions_SetOutputModelPath(Handle, path);
        return this;
    }

    /// <summary>
    /// Writes the compiled model to a function, when everything else is written and safe.
    /// </summary>
    public ModelCompilationOptions SetOutputModel(ModelWriter writer)
    {
        var state = Keep(writer);
        Native.OrtModelCompilationOptions_SetOutputModelWriteFunc(
            Handle, CompileCallbacks.WriteModel, state);
        return this;
    }

    /// <summary>
    /// Moves initializers that stay in the compiled model to a file of their own.
    /// </summary>
    /// <param name="path">Relative to the folder of the output.</param>
    /// <param name="threshold">In bytes: smaller ones stay in the model.</param>
    public ModelCompilationOptions SetExternalInitializersFile(string path, nuint threshold = 0)
    {
        Native.OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
            Handle, path, threshold);
        return this;
    }

    /// <summary>
    /// Says where large initializers begin in the file or block that they go to; all others begin on
    /// 64 bytes. By default those of 64 KiB and more begin on 4 KiB.
    /// </summary>
    /// <param name="alignment">A power of two up to 2^30, or 0 to treat all alike.</param>
    /// <param name="minimumSize">In bytes: smaller ones are not large.</param>
    public ModelCompilationOptions SetExternalInitializersAlignment(
        nuint alignment, nuint minimumSize = 0)
    {
        Native.OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
            Handle, alignment, minimumSize);
        return this;
    }

    /// <summary>
    /// Has a function say where each initializer stands that stays in the compiled model. In place
    /// of a file for them.
    /// </summary>
    public ModelCompilationOptions SetInitializerLocator(InitializerLocator locator)
    {
        var state = Keep(locator);
        Native.OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
            Handle, CompileCallbacks.Locate, state);
        return this;
    }

    /// <summary>
    /// Gives context binaries to a function: none is written to a file then. Null: they are files.
    /// Has no effect on contexts that are embedded.
    /// </summary>
    public ModelCompilationOptions SetContextDataWriter(ContextDataWriter? writer)
    {
        var state = writer is null ? 0 : Keep(writer);
        Native.OrtModelCompilationOptions_SetEpContextDataWriteFunc(
            Handle, writer is null ? 0 : ContextDataCallbacks.Write, state);
        return this;
    }

    /// <summary>Whether context data go into the model, or, by default, beside it.</summary>
    public ModelCompilationOptions SetEmbedMode(bool embed)
    {
        Native.OrtModelCompilationOptions_SetEpContextEmbedMode(Handle, embed);
        return this;
    }

    /// <summary>Names the context binary of a model that is not compiled to a file.</summary>
    /// <param name="folder">For the binary.</param>
    /// <param name="modelName">From which the name of the binary is made.</param>
    public ModelCompilationOptions SetContextBinary(string folder, string modelName)
    {
        Native.OrtModelCompilationOptions_SetEpContextBinaryInformation(Handle, folder, modelName);
        return this;
    }

    /// <summary>
    /// Compiles without weights: contexts find them in the source model when they are loaded.
    /// </summary>
    public ModelCompilationOptions SetWeightless(bool weightless)
    {
        Native.OrtModelCompilationOptions_SetWeightlessEnabled(Handle, weightless);
        return this;
    }

    /// <summary>What counts as a failure.</summary>
    public ModelCompilationOptions SetFlags(CompileFlags flags)
    {
        Native.OrtModelCompilationOptions_SetFlags(Handle, (uint)flags);
        return this;
    }

    /// <summary>How far the graph is rewritten before execution providers see it.</summary>
    public ModelCompilationOptions SetGraphOptimizationLevel(GraphOptimizationLevel level)
    {
        Native.OrtModelCompilationOptions_SetGraphOptimizationLevel(Handle, level);
        return this;
    }

    /// <summary>
    /// Compiles and waits for the end. <see cref="ModelCompiler"/> does the same with progress,
    /// cancellation and a report.
    /// </summary>
    public void CompileModel() => Native.OrtCompileModel(_env.Handle, Handle);

    /// <summary>Gives the options back.</summary>
    public void Dispose() => Handle.Dispose();

    /// <summary>The model goes to memory of the caller.</summary>
    internal void SetOutputBlock(nint block, nint size) =>
        Native.OrtModelCompilationOptions_SetOutputModelBuffer(
            Handle, Allocator.Default.Handle, block, size);

    /// <summary>Initializers go to memory of the caller.</summary>
    internal void SetInitializersBlock(string name, nuint threshold, nint block, nint size) =>
        Native.OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
            Handle, name, threshold, Allocator.Default.Handle, block, size);

    /// <summary>
    /// The memory or stream was for one compile: another that would go there says so.
    /// </summary>
    internal void ForgetOutput() =>
        Native.OrtModelCompilationOptions_SetOutputModelWriteFunc(
            Handle, CompileCallbacks.WriteModel, KeepOnce(ref _outputIsGone, s_outputIsGone));

    /// <summary>That memory is gone: a compile that would go there says so.</summary>
    internal void ForgetInitializersBlock() =>
        Native.OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
            Handle, CompileCallbacks.Locate,
            KeepOnce(ref _initializersAreGone, s_initializersAreGone));

    private nint KeepOnce(ref nint state, Delegate function) =>
        state != 0 ? state : state = Keep(function);

    private nint Keep(Delegate function)
    {
        var state = new CallbackState(
            function ?? throw new ArgumentNullException(nameof(function)));
        Handle.Attach(state);
        return state.Pointer;
    }
}
