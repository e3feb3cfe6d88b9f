// SPDX-License-Identifier: MIT
using System;
using System.Threading;
using OrtC.LowLevel;

namespace OrtC;

// Sessions of models that get more nodes before they run.
public sealed unsafe partial class Session
{
    /// <summary>
    /// Reads a model file for a session that is not finished: it tells its inputs and outputs,
    /// takes changes by <see cref="ApplyModel"/>, and runs after <see cref="FinishEditing"/>.
    /// </summary>
    public static Session Edit(Env env, string modelPath, SessionOptions? options = null) =>
        new(env, options, default, (SessionOptionsHandle native, out SessionHandle made) =>
            Native.OrtCreateModelEditorSession(env.Handle, modelPath, native, out made));

    /// <summary>
    /// As <see cref="Edit(Env, string, SessionOptions)"/>, for a model in memory.
    /// </summary>
    public static Session Edit(Env env, ReadOnlySpan<byte> model, SessionOptions? options = null)
    {
        fixed (byte* first = model)
        {
            var (data, size) = ((nint)first, (nuint)model.Length);
            return new Session(
                env, options, default, (SessionOptionsHandle native, out SessionHandle made) =>
                    Native.OrtCreateModelEditorSessionFromArray(
                        env.Handle, data, size, native, out made));
        }
    }

    /// <summary>
    /// Adds the nodes and initializers of a model to that of an unfinished session. Inputs and
    /// outputs of the model, when it has any, take the place of the session's. One thread at a
    /// time.
    /// </summary>
    /// <exception cref="OrtException">
    /// The result is impossible, or the session is finished.
    /// </exception>
    public void ApplyModel(Model model)
    {
        Native.OrtApplyModelToModelEditorSession(Handle, model.Handle);
        Handle.HoldOwner(model.Handle);
        ReadNames();
    }

    /// <summary>Finishes a session: now it runs. One thread at a time.</summary>
    /// <param name="options">Those given before do not count. Null: the defaults.</param>
    public void FinishEditing(SessionOptions? options = null)
    {
        Native.OrtFinalizeModelEditorSession(
            Handle, options?.Handle ?? SessionOptionsHandle.None,
            PrepackedWeightsContainerHandle.None);
        Handle.HoldOwner(options?.Handle);
        ReadNames();
    }
}
