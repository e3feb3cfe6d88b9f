// SPDX-License-Identifier: MIT
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>How far a compile or an edit has come.</summary>
public readonly struct CompileProgress
{
    internal CompileProgress(string stage, string detail, double fraction)
    {
        Stage = stage;
        Detail = detail;
        Fraction = fraction;
    }

    /// <summary>
    /// The stage at work, as "load", "optimise", "partition", "compile", "write"; at the end
    /// "done".
    /// </summary>
    public string Stage { get; }

    /// <summary>What it works on, as a node's or a file's name; may be empty.</summary>
    public string Detail { get; }

    /// <summary>Of the whole work, from 0 to 1; never less than before.</summary>
    public double Fraction { get; }

    /// <inheritdoc/>
    public override string ToString() => $"{Fraction:P0} {Stage} {Detail}";
}

/// <summary>
/// Compiles a model ahead of time, so that sessions of the result start fast. It may compile
/// several times, one after the other. Output is all or nothing: after a failure the files that
/// were there before are there still.
/// </summary>
public sealed unsafe partial class ModelCompiler : IDisposable
{
    private readonly Env _env;
    private ModelCompilerHandle? _atWork;
    private TimeSpan _deadline;

    /// <summary>Makes a compiler.</summary>
    /// <param name="env">May be disposed before the compiler.</param>
    /// <param name="sessionOptions">With the execution provider that compiles. Copied.</param>
    public ModelCompiler(Env env, SessionOptions sessionOptions)
    {
        _env = env;
        Options = new ModelCompilationOptions(env, sessionOptions);
    }

    /// <summary>Makes a compiler for a model file.</summary>
    /// <inheritdoc cref="ModelCompiler(Env, SessionOptions)"/>
    public ModelCompiler(Env env, SessionOptions sessionOptions, string modelPath)
        : this(env, sessionOptions)
    {
        try
        {
            Options.SetInputModel(modelPath);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>What is compiled, and how.</summary>
    public ModelCompilationOptions Options { get; }

    /// <summary>
    /// How long each compile may take, in whole milliseconds; one that takes longer ends with
    /// <see cref="OrtCanceledException"/>. Zero, the default, and
    /// <see cref="Timeout.InfiniteTimeSpan"/>: no limit.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Another negative time.</exception>
    public TimeSpan Deadline
    {
        get => _deadline;
        set
        {
            if (value < TimeSpan.Zero && value != Timeout.InfiniteTimeSpan)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "The time is negative.");
            }
            _deadline = value;
        }
    }

    /// <summary>
    /// What the last compile did: files written with their sizes, EPContext nodes by provider,
    /// nodes left to the CPU with the reason, time by stage. Null before the first. After a failure
    /// it tells how far it came.
    /// </summary>
    public Report? Report { get; private set; }

    /// <summary>Compiles to a file.</summary>
    /// <param name="path">
    /// Null: what <see cref="Options"/> say, or else the input's path with <c>_ctx.onnx</c>.
    /// </param>
    /// <param name="progress">
    /// Hears how far it is, from the thread that compiles. What it throws ends the compile.
    /// </param>
    /// <param name="cancellationToken">Stops the compile soon; nothing is left behind.</param>
    /// <exception cref="OperationCanceledException">
    /// The token, the deadline or Cancel().
    /// </exception>
    /// <exception cref="OrtException">
    /// A broken model, nothing to compile, an output that exists: see its code.
    /// </exception>
    public Report CompileToFile(
        string? path = null,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        if (path is not null)
        {
            Options.SetOutputModel(path);
        }
        return Compile(progress, cancellationToken);
    }

    /// <summary>Compiles to memory.</summary>
    /// <inheritdoc cref="CompileToFile"/>
    public byte[] CompileToBytes(
        IProgress<CompileProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        nint block = 0;
        nuint size = 0;
        Options.SetOutputBlock((nint)(&block), (nint)(&size));
        try
        {
            Compile(progress, cancellationToken);
        }
        finally
        {
            Options.ForgetOutput();
        }
        return Text.TakeBytes(block, size);
    }

    /// <summary>
    /// Compiles to memory, with large initializers in a block of their own. That is in place of
    /// another place for them, which has to be said again for another compile.
    /// </summary>
    /// <inheritdoc cref="CompileToFile"/>
    /// <param name="initializersName">
    /// What the model calls the block: a path relative to it. Readers get the block from there, or
    /// from <see cref="SessionOptions.AddExternalInitializersFromFilesInMemory"/>.
    /// </param>
    /// <param name="threshold">In bytes: smaller initializers stay in the model.</param>
    /// <param name="initializers">The block; empty when no initializer is that large.</param>
    /// <param name="progress"/>
    /// <param name="cancellationToken"/>
    public byte[] CompileToBytes(
        string initializersName,
        nuint threshold,
        out byte[] initializers,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        nint block = 0;
        nuint size = 0;
        Options.SetInitializersBlock(initializersName, threshold, (nint)(&block), (nint)(&size));
        byte[] model;
        try
        {
            model = CompileToBytes(progress, cancellationToken);
        }
        catch
        {
            Text.Free(block);
            throw;
        }
        finally
        {
            Options.ForgetInitializersBlock();
        }
        initializers = Text.TakeBytes(block, size);
        return model;
    }

    /// <summary>Compiles to a stream, which is neither flushed nor closed.</summary>
    /// <inheritdoc cref="CompileToFile"/>
    /// <param name="stream">Gets the model when everything else is written and safe.</param>
    /// <param name="progress"/>
    /// <param name="cancellationToken"/>
    public Report CompileToStream(
        Stream stream,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        if (stream is null)
        {
            throw new ArgumentNullException(nameof(stream));
        }
        Options.SetOutputModel(piece => Write(stream, piece));
        try
        {
            return Compile(progress, cancellationToken);
        }
        finally
        {
            Options.ForgetOutput();
        }
    }

    /// <summary>
    /// Stops the compile at work: it ends soon with <see cref="OrtCanceledException"/>.
    /// Thread-safe.
    /// </summary>
    public void Cancel()
    {
        if (Volatile.Read(ref _atWork) is { } compiler)
        {
            TryCancel(compiler);
        }
    }

    /// <summary>Gives the compiler back. It must not be compiling.</summary>
    public void Dispose() => Options.Dispose();

    private static void Write(Stream stream, ReadOnlySpan<byte> piece)
    {
#if NET8_0_OR_GREATER
        stream.Write(piece);
#else
        stream.Write(piece.ToArray(), 0, piece.Length);
#endif
    }

    private static void TryCancel(ModelCompilerHandle compiler)
    {
        try
        {
            Native.OrtModelCompiler_Cancel(compiler);
        }
        catch (ObjectDisposedException)
        {
            // It has just ended.
        }
    }

    /// <summary>Compiles to where the options say.</summary>
    private Report Compile(IProgress<CompileProgress>? progress, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        Native.OrtCreateModelCompiler(_env.Handle, Options.Handle, out var compiler);
        using (compiler)
        {
            if (Interlocked.CompareExchange(ref _atWork, compiler, null) is not null)
            {
                throw new InvalidOperationException("This compiler is compiling already.");
            }
            try
            {
                Prepare(compiler, progress);
                using var registration = token.Register(
                    state => TryCancel((ModelCompilerHandle)state!), compiler);
                Native.OrtModelCompiler_Compile(compiler);
                return Report = ReadReport(compiler);
            }
            catch (Exception exception)
            {
                Report = ReadReport(compiler);
                if (Cancellation.Stopped(exception, token))
                {
                    throw Cancellation.Translate(exception, token, false);
                }
                throw;
            }
            finally
            {
                Volatile.Write(ref _atWork, null);
            }
        }
    }

    private void Prepare(ModelCompilerHandle compiler, IProgress<CompileProgress>? progress)
    {
        compiler.HoldOwner(Options.Handle);
        if (Deadline > TimeSpan.Zero)
        {
            Native.OrtModelCompiler_SetDeadline(
                compiler, (ulong)Math.Max(1, Deadline.TotalMilliseconds));
        }
        if (progress is not null)
        {
            ProgressCallback.Set(
                (stage, detail, fraction) =>
                    progress.Report(new CompileProgress(stage, detail, fraction)),
                default,
                (function, state, release) =>
                    Native.OrtModelCompiler_SetProgress(compiler, function, state, release));
        }
    }

    private static Report ReadReport(ModelCompilerHandle compiler)
    {
        try
        {
            nint text;
            Native.OrtModelCompiler_GetReportJson(compiler, &text);
            return new Report(Utf8.Read(text));
        }
        catch (OrtException exception) when (exception.Code == ErrorCode.NotFound)
        {
            return new Report("{}");
        }
    }
}

// On a thread of the pool.
public sealed partial class ModelCompiler
{
    /// <summary>As <see cref="CompileToFile"/>, on a thread of the pool.</summary>
    /// <inheritdoc cref="CompileToFile"/>
    public Task<Report> CompileToFileAsync(
        string? path = null,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => CompileToFile(path, progress, cancellationToken), cancellationToken);

    /// <summary>
    /// As <see cref="CompileToBytes(IProgress{CompileProgress}?, CancellationToken)"/>, on a thread
    /// of the pool.
    /// </summary>
    /// <inheritdoc cref="CompileToBytes(IProgress{CompileProgress}?, CancellationToken)"/>
    public Task<byte[]> CompileToBytesAsync(
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => CompileToBytes(progress, cancellationToken), cancellationToken);

    /// <summary>
    /// Compiles to memory, with large initializers in a block of their own, on a thread of the pool.
    /// </summary>
    /// <param name="initializersName">What the model calls the block.</param>
    /// <param name="threshold">In bytes: smaller initializers stay in the model.</param>
    /// <param name="progress">Hears how far it is.</param>
    /// <param name="cancellationToken">Stops the compile soon.</param>
    /// <returns>The model and the block.</returns>
    public Task<(byte[] Model, byte[] Initializers)> CompileToBytesAsync(
        string initializersName,
        nuint threshold,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(
            () =>
            {
                var model = CompileToBytes(
                    initializersName, threshold, out var block, progress, cancellationToken);
                return (model, block);
            },
            cancellationToken);

    /// <summary>As <see cref="CompileToStream"/>, on a thread of the pool.</summary>
    /// <inheritdoc cref="CompileToStream"/>
    public Task<Report> CompileToStreamAsync(
        Stream stream,
        IProgress<CompileProgress>? progress = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => CompileToStream(stream, progress, cancellationToken), cancellationToken);
}
