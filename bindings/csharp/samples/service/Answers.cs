// SPDX-License-Identifier: MIT
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using OrtC;

namespace Service;

/// <summary>What the service says about models and errors.</summary>
internal static class Answers
{
    internal static Task Error(HttpContext context, int code, string message)
    {
        context.Response.StatusCode = code;
        return context.Response.WriteAsJsonAsync(new { error = message });
    }

    internal static Task NoModel(HttpContext context, string name) =>
        Error(context, StatusCodes.Status404NotFound, $"there is no model \"{name}\"");

    internal static Task Describe(HttpContext context, ServedModel model) =>
        context.Response.WriteAsJsonAsync(new
        {
            name = model.Name,
            versions = new[] { "1" },
            platform = "onnx",
            inputs = model.Session.Inputs.Select(Describe),
            outputs = model.Session.Outputs.Select(Describe),
        });

    private static object Describe(NamedType value) => new
    {
        name = value.Name,
        datatype = Elements.NameOf(value.Type.Tensor?.ElementType ?? TensorElementType.Undefined),
        shape = value.Type.Tensor?.Shape.ToArray() ?? [],
    };
}
