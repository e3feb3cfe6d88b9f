// SPDX-License-Identifier: MIT
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using OrtC;

namespace Service;

/// <summary>POST …/infer: JSON to tensors, a run, and tensors to JSON.</summary>
internal static class Inference
{
    internal static async Task Answer(HttpContext context, ServedModel model, Metrics metrics)
    {
        var started = Stopwatch.GetTimestamp();
        try
        {
            using var request = await Request.Read(context);
            metrics.RunStarts();
            try
            {
                using var outputs = await model.Session.RunAsync(
                    request.Inputs, request.OutputNames, cancellationToken: context.RequestAborted);
                var body = new ArrayBufferWriter<byte>(); // whole, before the answer begins
                Write(body, model, request.Id, outputs);
                context.Response.ContentType = "application/json";
                context.Response.ContentLength = body.WrittenCount;
                await context.Response.Body.WriteAsync(body.WrittenMemory, context.RequestAborted);
            }
            finally
            {
                metrics.RunEnds();
            }
        }
        catch (Exception exception)
        {
            await Fail(context, exception);
        }
        var seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        metrics.Count(model.Name, context.Response.StatusCode, seconds);
    }

    private static void Write(
        IBufferWriter<byte> body, ServedModel model, string? id, Outputs outputs)
    {
        using var json = new Utf8JsonWriter(body);
        json.WriteStartObject();
        json.WriteString("model_name", model.Name);
        json.WriteString("model_version", "1");
        if (id is not null)
        {
            json.WriteString("id", id);
        }
        json.WriteStartArray("outputs");
        foreach (var (name, value) in outputs)
        {
            if (!Elements.CanWrite(value))
            {
                throw new FormatException(
                    $"the output \"{name}\" has a type that the protocol does not have");
            }
            json.WriteStartObject();
            json.WriteString("name", name);
            json.WriteString("datatype", Elements.NameOf(value.ElementType));
            json.WriteStartArray("shape");
            foreach (var dimension in value.Shape)
            {
                json.WriteNumberValue(dimension);
            }
            json.WriteEndArray();
            json.WriteStartArray("data");
            Elements.Write(json, value);
            json.WriteEndArray();
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static Task Fail(HttpContext context, Exception exception)
    {
        if (context.RequestAborted.IsCancellationRequested || context.Response.HasStarted)
        {
            context.Abort();
            return Task.CompletedTask;
        }
        var code = exception switch
        {
            BadHttpRequestException bad => bad.StatusCode,
            ArgumentException or JsonException or FormatException => 400,
            _ => 500,
        };
        return Answers.Error(context, code, exception.Message);
    }

    /// <summary>A request whose tensors are made.</summary>
    private sealed class Request : IDisposable
    {
        internal Dictionary<string, Value> Inputs { get; } = [];

        internal List<string>? OutputNames { get; private set; }

        internal string? Id { get; private set; }

        public void Dispose()
        {
            foreach (var input in Inputs.Values)
            {
                input.Dispose();
            }
        }

        internal static async Task<Request> Read(HttpContext context)
        {
            using var document = await JsonDocument.ParseAsync(
                context.Request.Body, default, context.RequestAborted);
            var request = new Request();
            try
            {
                request.Parse(document.RootElement);
                return request;
            }
            catch (Exception exception)
                when (exception is InvalidOperationException or KeyNotFoundException)
            {
                request.Dispose();
                throw new FormatException("the request has another form: " + exception.Message);
            }
            catch
            {
                request.Dispose();
                throw;
            }
        }

        private void Parse(JsonElement root)
        {
            Id = root.TryGetProperty("id", out var id) ? id.GetString() : null;
            foreach (var input in root.GetProperty("inputs").EnumerateArray())
            {
                var name = input.GetProperty("name").GetString() ?? string.Empty;
                var shape = input.GetProperty("shape").EnumerateArray()
                    .Select(dimension => dimension.GetInt64()).ToArray();
                var value = Elements.Read(
                    input.GetProperty("datatype").GetString() ?? string.Empty, shape,
                    input.GetProperty("data"));
                if (!Inputs.TryAdd(name, value))
                {
                    value.Dispose();
                    throw new ArgumentException($"the input \"{name}\" is there twice");
                }
            }
            if (root.TryGetProperty("outputs", out var outputs)
                && outputs.ValueKind != JsonValueKind.Null && outputs.GetArrayLength() > 0)
            {
                OutputNames = outputs.EnumerateArray()
                    .Select(output => output.GetProperty("name").GetString() ?? string.Empty)
                    .ToList();
            }
        }
    }
}
