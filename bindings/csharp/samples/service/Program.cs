// SPDX-License-Identifier: MIT
// Serves models by the Open Inference Protocol: service --models FOLDER --address HOST:PORT
using System;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Service;

var builder = WebApplication.CreateSlimBuilder(args);
var folder = builder.Configuration["models"] ?? throw new ArgumentException("--models FOLDER");
var address = IPEndPoint.Parse(builder.Configuration["address"] ?? "127.0.0.1:8000");
builder.Logging.ClearProviders().AddConsole(
    console => console.LogToStandardErrorThreshold = LogLevel.Trace)
    .SetMinimumLevel(LogLevel.Warning);
builder.WebHost.ConfigureKestrel(server =>
{
    server.Listen(address);
    server.Limits.MaxRequestBodySize = 64 << 20;
    server.Limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
});
builder.Services.Configure<HostOptions>(
    host => host.ShutdownTimeout = TimeSpan.FromSeconds(5));
builder.Services.AddOrtC(folder);
builder.Services.AddSingleton<Metrics>();

var app = builder.Build();
var models = app.Services.GetRequiredService<ModelStore>();
var metrics = app.Services.GetRequiredService<Metrics>();
app.UseStatusCodePages(page => Answers.Error(
    page.HttpContext, page.HttpContext.Response.StatusCode, "this is not served here"));

app.MapGet("/v2", () => new { name = "ortc", version = "1.0.0", extensions = new string[0] });
app.MapGet("/v2/health/live", () => new { live = true });
app.MapGet("/v2/health/ready", async (HealthCheckService health, CancellationToken stop) =>
{
    var ready = (await health.CheckHealthAsync(stop)).Status == HealthStatus.Healthy;
    return Results.Json(new { ready }, statusCode: ready ? 200 : 503);
});
app.MapGet("/metrics", () => Results.Text(metrics.ToString(), "text/plain; version=0.0.4"));
foreach (var prefix in new[] { "/v2/models/{name}", "/v2/models/{name}/versions/1" })
{
    app.MapGet(prefix, (HttpContext context, string name) =>
        With(context, name, model => Answers.Describe(context, model)));
    app.MapGet(prefix + "/ready", (HttpContext context, string name) =>
        With(context, name, _ => context.Response.WriteAsJsonAsync(new { name, ready = true })));
    app.MapPost(prefix + "/infer", (HttpContext context, string name) =>
        With(context, name, model => Inference.Answer(context, model, metrics)));
}

app.Lifetime.ApplicationStarted.Register(() =>
{
    var bound = app.Urls.Select(url => new Uri(url)).First();
    Console.WriteLine($"listening on {bound.Host}:{bound.Port}");
});
app.Run();

Task With(HttpContext context, string name, Func<ServedModel, Task> answer) =>
    models.Find(name) is { } model ? answer(model) : Answers.NoModel(context, name);
