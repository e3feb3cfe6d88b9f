// SPDX-License-Identifier: MIT
namespace OrtC;

/// <summary>
/// What every exception of the library has, whatever .NET type it is: the code of the C interface.
/// Catch all of them with <c>catch (Exception e) when (e is IOrtError)</c>.
/// </summary>
public interface IOrtError
{
    /// <summary>What went wrong.</summary>
    ErrorCode Code { get; }

    /// <summary>The library's text: what was expected, what was found, and where.</summary>
    string Message { get; }
}
