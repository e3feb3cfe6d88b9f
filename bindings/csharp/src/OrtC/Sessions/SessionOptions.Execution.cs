// SPDX-License-Identifier: MIT
using OrtC.LowLevel;

namespace OrtC;

// The graph, its threads and memory, and the files that a session writes.
public sealed unsafe partial class SessionOptions
{
    private GraphOptimizationLevel _graphOptimizationLevel = GraphOptimizationLevel.EnableAll;
    private int _intraOpNumThreads;
    private int _interOpNumThreads;
    private bool _cpuMemArena = true;
    private string? _optimizedModelPath;

    /// <summary>How far the graph is rewritten. The default is EnableAll.</summary>
    public GraphOptimizationLevel GraphOptimizationLevel
    {
        get => _graphOptimizationLevel;
        set
        {
            Native.OrtSetSessionGraphOptimizationLevel(Handle, value);
            _graphOptimizationLevel = value;
        }
    }

    /// <summary>
    /// Threads that work on one operator, the caller's included. 0, the default: one per physical
    /// core. Results do not depend on it.
    /// </summary>
    public int IntraOpNumThreads
    {
        get => _intraOpNumThreads;
        set
        {
            Native.OrtSetIntraOpNumThreads(Handle, value);
            _intraOpNumThreads = value;
        }
    }

    /// <summary>
    /// Operators that run at once under <see cref="ExecutionMode.Parallel"/>. 0, the default, lets
    /// the library choose.
    /// </summary>
    public int InterOpNumThreads
    {
        get => _interOpNumThreads;
        set
        {
            Native.OrtSetInterOpNumThreads(Handle, value);
            _interOpNumThreads = value;
        }
    }

    /// <summary>Whether independent operators may run at once.</summary>
    public ExecutionMode ExecutionMode
    {
        get
        {
            Native.OrtGetSessionExecutionMode(Handle, out var mode);
            return mode;
        }
        set => Native.OrtSetSessionExecutionMode(Handle, value);
    }

    /// <summary>
    /// Whether a run reuses the memory plan of an earlier one with the same shapes.
    /// </summary>
    public bool EnableMemoryPattern
    {
        get
        {
            Native.OrtGetMemPatternEnabled(Handle, out var enabled);
            return enabled != 0;
        }
        set
        {
            if (value)
            {
                Native.OrtEnableMemPattern(Handle);
            }
            else
            {
                Native.OrtDisableMemPattern(Handle);
            }
        }
    }

    /// <summary>
    /// Whether the memory of a run is kept for the next one, as it is by default.
    /// </summary>
    public bool EnableCpuMemArena
    {
        get => _cpuMemArena;
        set
        {
            if (value)
            {
                Native.OrtEnableCpuMemArena(Handle);
            }
            else
            {
                Native.OrtDisableCpuMemArena(Handle);
            }
            _cpuMemArena = value;
        }
    }

    /// <summary>
    /// Writes the optimised model as an ONNX file when the session is made. Null: nothing is
    /// written.
    /// </summary>
    public string? OptimizedModelFilePath
    {
        get => _optimizedModelPath;
        set
        {
            Native.OrtSetOptimizedModelFilePath(Handle, value ?? string.Empty);
            _optimizedModelPath = value;
        }
    }

    internal ThreadFactoryState? Threads { get; private set; }

    /// <summary>
    /// Makes the threads of sessions, when they are made, in place of the system. Null: the system.
    /// </summary>
    public SessionOptions SetThreadFactory(ThreadFactory? factory)
    {
        Threads = factory is null ? null : new ThreadFactoryState(factory);
        Native.OrtSessionOptionsSetCustomCreateThreadFn(
            Handle, factory is null ? 0 : ThreadFactoryState.CreateFunction);
        Native.OrtSessionOptionsSetCustomThreadCreationOptions(Handle, Threads?.Pointer ?? 0);
        Native.OrtSessionOptionsSetCustomJoinThreadFn(
            Handle, factory is null ? 0 : ThreadFactoryState.JoinFunction);
        if (Threads is not null)
        {
            Handle.Attach(Threads);
        }
        return this;
    }

    /// <summary>
    /// Makes sessions use the threads of their environment, which must have been made with
    /// <see cref="EnvOptions.Threading"/>.
    /// </summary>
    public SessionOptions DisablePerSessionThreads()
    {
        Native.OrtDisablePerSessionThreads(Handle);
        return this;
    }

    /// <summary>Asks for results that do not change from run to run. They never do.</summary>
    public SessionOptions SetDeterministicCompute(bool value)
    {
        Native.OrtSetDeterministicCompute(Handle, value);
        return this;
    }

    /// <summary>Gives a dimension of inputs a fixed size, found by its name, as "batch".</summary>
    public SessionOptions AddFreeDimensionOverride(string name, long size)
    {
        Native.OrtAddFreeDimensionOverrideByName(Handle, name, size);
        return this;
    }

    /// <summary>
    /// Gives a dimension of inputs a fixed size, found by its denotation, as "DATA_BATCH".
    /// </summary>
    public SessionOptions AddFreeDimensionOverrideByDenotation(string denotation, long size)
    {
        Native.OrtAddFreeDimensionOverride(Handle, denotation, size);
        return this;
    }

    /// <summary>
    /// Makes a profile of each session; see <see cref="Session.EndProfiling"/>. The name of the
    /// file begins with the prefix; date, time and ".json" follow.
    /// </summary>
    public SessionOptions EnableProfiling(string filePrefix)
    {
        Native.OrtEnableProfiling(Handle, filePrefix);
        return this;
    }

    /// <summary>Makes no profile. That is the default.</summary>
    public SessionOptions DisableProfiling()
    {
        Native.OrtDisableProfiling(Handle);
        return this;
    }
}
