// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Globalization;

namespace OrtC;

/// <summary>
/// Exceptions of callbacks on their way through the library. A callback leaves its exception here
/// and returns a status whose text ends in a mark; the library carries texts unchanged, so that the
/// call that gets the status finds the very exception again, whatever thread it is on. The first to
/// get it throws it as it is; a later failure that quotes it has it inside.
/// </summary>
internal static class CallbackErrors
{
    private const string Begin = " [exception ";
    private const string End = " of a callback]";

    /// <summary>A status that nobody looks at must not keep its exception for ever.</summary>
    private const int Most = 256;

    private static readonly Queue<long> s_order = new();
    private static readonly Dictionary<long, Exception> s_waiting = new();
    private static readonly HashSet<long> s_thrown = new();
    private static long s_last;

    [ThreadStatic]
    private static Exception? t_left;

    /// <summary>
    /// For a callback that can only say that there is nothing, as an allocator: the next failure on
    /// this thread has the exception inside.
    /// </summary>
    internal static void LeaveForThisThread(Exception exception) => t_left = exception;

    /// <summary>Takes what was left.</summary>
    internal static Exception? TakeOfThisThread()
    {
        var left = t_left;
        t_left = null;
        return left;
    }

    /// <summary>Keeps an exception and gives the text of its status.</summary>
    internal static string Keep(Exception exception)
    {
        long number;
        lock (s_waiting)
        {
            number = ++s_last;
            s_waiting.Add(number, exception);
            s_order.Enqueue(number);
            if (s_order.Count > Most)
            {
                var oldest = s_order.Dequeue();
                s_waiting.Remove(oldest);
                s_thrown.Remove(oldest);
            }
        }
        var name = number.ToString(CultureInfo.InvariantCulture);
        return exception.Message + Begin + name + End;
    }

    /// <summary>
    /// Finds the exception behind a text, and takes the mark out of it. <paramref name="first"/> is
    /// whether this failure is the one that the exception caused: nothing follows its text, though
    /// the library may have said before it where it was.
    /// </summary>
    internal static Exception? Take(ref string message, out bool first)
    {
        first = false;
        var begin = message.LastIndexOf(Begin, StringComparison.Ordinal);
        if (begin < 0)
        {
            return null;
        }
        var end = message.IndexOf(End, begin, StringComparison.Ordinal);
        var name = begin + Begin.Length;
        if (end < 0 || !long.TryParse(message.Substring(name, end - name), out var number))
        {
            return null;
        }
        var last = end + End.Length == message.Length;
        message = message.Remove(begin, end + End.Length - begin);
        lock (s_waiting)
        {
            s_waiting.TryGetValue(number, out var exception);
            first = last && exception is not null && s_thrown.Add(number);
            return exception;
        }
    }
}
