// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.Globalization;

namespace OrtC;

/// <summary>
/// Exceptions of callbacks on their way through the library. A callback leaves its exception here
/// and returns a status whose text ends in a mark; the library carries texts unchanged, so that the
/// call that gets the status finds the very exception again, whatever thread it is on.
/// </summary>
internal static class CallbackErrors
{
    private const string Begin = " [exception ";
    private const string End = " of a callback]";

    /// <summary>A status that nobody looks at must not keep its exception for ever.</summary>
    private const int Most = 256;

    private static readonly Queue<long> s_order = new();
    private static readonly Dictionary<long, Exception> s_waiting = new();
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
                s_waiting.Remove(s_order.Dequeue());
            }
        }
        var name = number.ToString(CultureInfo.InvariantCulture);
        return exception.Message + Begin + name + End;
    }

    /// <summary>
    /// Finds the exception behind a text, and takes the mark out of it. <paramref name="whole"/> is
    /// whether the text is that of the callback and nothing else.
    /// </summary>
    internal static Exception? Take(ref string message, out bool whole)
    {
        whole = false;
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
        Exception? exception;
        lock (s_waiting)
        {
            s_waiting.TryGetValue(number, out exception);
        }
        message = message.Remove(begin, end + End.Length - begin);
        whole = exception is not null && message == exception.Message;
        return exception;
    }
}
