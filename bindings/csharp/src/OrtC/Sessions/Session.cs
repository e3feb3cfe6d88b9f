// SPDX-License-Identifier: MIT
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using OrtC.LowLevel;

namespace OrtC;

/// <summary>
/// A model ready to run: a plain ONNX model or a compiled one alike. It never changes after it was
/// made; any number of threads may run it at once.
/// </summary>
public sealed unsafe partial class Session : IDisposable
{
    private delegate void Maker(SessionOptionsHandle options, out SessionHandle session);

    /// <summary>Makes a session from a model file.</summary>
    /// <param name="env">May be disposed before the session.</param>
    /// <param name="modelPath">
    /// External data and context binaries are looked for beside this file.
    /// </param>
    /// <param name="options">Null: the defaults.</param>
    /// <param name="cancellationToken">Stops the load soon.</param>
    /// <param name="prepackedWeights">
    /// Sessions with the same container keep equal packed weights once. Null: none.
    /// </param>
    /// <exception cref="OrtFileNotFoundException">There is no such file.</exception>
    /// <exception cref="OrtException">
    /// It is not a model, a rule is broken, or no provider serves it: see its code.
    /// </exception>
    /// <exception cref="OrtNotSupportedException">An operator or a context is unknown.</exception>
    /// <exception cref="OperationCanceledException">The token stopped the load.</exception>
    public Session(
        Env env,
        string modelPath,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default,
        PrepackedWeightsContainer? prepackedWeights = null)
        : this(
            env, options, cancellationToken,
            (SessionOptionsHandle native, out SessionHandle made) =>
            {
                if (prepackedWeights is null)
                {
                    Native.OrtCreateSession(env.Handle, modelPath, native, out made);
                }
                else
                {
                    Native.OrtCreateSessionWithPrepackedWeightsContainer(
                        env.Handle, modelPath, native, prepackedWeights.Handle, out made);
                }
            })
    {
    }

    private Session(Env env, SessionOptions? options, CancellationToken token, Maker make)
    {
        if (env is null)
        {
            throw new ArgumentNullException(nameof(env));
        }
        token.ThrowIfCancellationRequested();
        using var forLoad = token.CanBeCanceled
            ? options?.ForLoad(token) ?? DefaultsForLoad(token)
            : null;
        var native = (forLoad ?? options)?.Handle ?? SessionOptionsHandle.None;
        options?.Threads?.Forget();
        try
        {
            make(native, out var handle);
            Handle = handle;
        }
        catch (Exception exception)
        {
            ThreadFactoryState.RethrowOriginal(exception, options?.Threads);
            if (Cancellation.Stopped(exception, token))
            {
                throw Cancellation.Translate(exception, token, false);
            }
            throw;
        }
        Handle.HoldOwner(env.Handle);
        Handle.HoldOwner(native);
        HoldForMemory = env.HasCustomAllocators ? Handle : null;
        ReadNames();
    }

    internal SessionHandle Handle { get; }

    /// <summary>
    /// What memory of the session may need: it may be of the program's allocators. Null: it is not.
    /// </summary>
    internal SessionHandle? HoldForMemory { get; }

    /// <summary>
    /// Makes a session from the bytes of a model; what is needed later is copied.
    /// </summary>
    /// <remarks>
    /// Context binaries are looked for in the folder of
    /// <see cref="SessionConfigKeys.EpContextFilePath"/>, external data in that of
    /// <see cref="SessionConfigKeys.ModelExternalInitializersFileFolderPath"/>.
    /// </remarks>
    /// <inheritdoc cref="Session(Env, string, SessionOptions, CancellationToken,
    /// PrepackedWeightsContainer)"/>
    public static Session FromBytes(
        Env env,
        ReadOnlySpan<byte> model,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default,
        PrepackedWeightsContainer? prepackedWeights = null)
    {
        fixed (byte* first = model)
        {
            var (data, size) = ((nint)first, (nuint)model.Length);
            return new Session(env, options, cancellationToken,
                (SessionOptionsHandle native, out SessionHandle made) =>
                {
                    if (prepackedWeights is null)
                    {
                        Native.OrtCreateSessionFromArray(env.Handle, data, size, native, out made);
                    }
                    else
                    {
                        Native.OrtCreateSessionFromArrayWithPrepackedWeightsContainer(
                            env.Handle, data, size, native, prepackedWeights.Handle, out made);
                    }
                });
        }
    }

    /// <summary>Makes a session from a stream, which is read to its end.</summary>
    /// <inheritdoc cref="FromBytes"/>
    public static Session FromStream(
        Env env,
        Stream model,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        using var bytes = new MemoryStream();
        (model ?? throw new ArgumentNullException(nameof(model))).CopyTo(bytes);
        return FromBytes(
            env, bytes.GetBuffer().AsSpan(0, (int)bytes.Length), options, cancellationToken);
    }

    /// <summary>
    /// Makes a session by way of a cache: loads what was compiled of the model before, or compiles
    /// it and keeps that for the next. Never fails because of the cache; the report says what it
    /// did.
    /// </summary>
    /// <param name="env">May be disposed before the session.</param>
    /// <param name="modelPath">As for the constructor.</param>
    /// <param name="cacheFolder">Made when it is missing.</param>
    /// <param name="options">Null: the defaults, with which nothing is compiled.</param>
    /// <param name="cancellationToken">Stops the load soon.</param>
    public static Session FromCache(
        Env env,
        string modelPath,
        string cacheFolder,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default) =>
        new(env, options, cancellationToken,
            (SessionOptionsHandle native, out SessionHandle made) =>
                Native.OrtCreateSessionFromCache(
                    env.Handle, modelPath, cacheFolder, native, out made));

    /// <summary>Makes a session of a model that was made in memory.</summary>
    /// <param name="env">May be disposed before the session.</param>
    /// <param name="model">More sessions may be made of it.</param>
    /// <param name="options">Null: the defaults.</param>
    /// <param name="cancellationToken">Stops the load soon.</param>
    public static Session FromModel(
        Env env,
        Model model,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        var session = new Session(env, options, cancellationToken,
            (SessionOptionsHandle native, out SessionHandle made) =>
                Native.OrtCreateSessionFromModel(env.Handle, model.Handle, native, out made));
        session.Handle.HoldOwner(model.Handle);
        return session;
    }

    /// <summary>Makes a session of the variant that was selected of a package.</summary>
    internal static Session OfPackage(
        Env env,
        ModelPackageComponentHandle component,
        EnvHandle envOfComponent,
        SessionOptions? options,
        CancellationToken cancellationToken)
    {
        if (options is null)
        {
            // To be stopped, a load needs options, and the package's would not count then.
            cancellationToken.ThrowIfCancellationRequested();
            cancellationToken = default;
        }
        var session = new Session(env, options, cancellationToken,
            (SessionOptionsHandle native, out SessionHandle made) =>
                Native.OrtModelPackage_CreateSession(env.Handle, component, native, out made));
        session.Handle.HoldOwner(envOfComponent);
        return session;
    }

    /// <summary>Makes a session from a model file on a thread of the pool.</summary>
    /// <inheritdoc cref="Session(Env, string, SessionOptions, CancellationToken,
    /// PrepackedWeightsContainer)"/>
    public static Task<Session> LoadAsync(
        Env env,
        string modelPath,
        SessionOptions? options = null,
        CancellationToken cancellationToken = default) =>
        Task.Run(() => new Session(env, modelPath, options, cancellationToken), cancellationToken);

    /// <summary>
    /// Gives the session back, when the runs that are under way have ended. Values it made stay.
    /// </summary>
    public void Dispose() => Handle.Dispose();

    private static SessionOptions DefaultsForLoad(CancellationToken token)
    {
        using var defaults = new SessionOptions();
        return defaults.ForLoad(token);
    }
}
