// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using OrtC;

namespace Service;

// docs: dependency injection begin
/// <summary>
/// ortc in a host: the environment logs to it, models are there once for all requests.
/// </summary>
internal static class OrtCServices
{
    internal static IServiceCollection AddOrtC(this IServiceCollection services, string folder)
    {
        services.AddSingleton(provider => new Env(new EnvOptions
        {
            Logger = Bridge(provider.GetRequiredService<ILoggerFactory>().CreateLogger("ortc")),
        }));
        services.AddSingleton(provider => new ModelStore(
            provider.GetRequiredService<Env>(), folder));
        services.AddHealthChecks().AddCheck<ModelsHealthCheck>("models");
        return services;
    }

    private static Action<LogRecord> Bridge(ILogger logger) => line => logger.Log(
        line.Severity switch
        {
            LoggingLevel.Verbose => LogLevel.Debug,
            LoggingLevel.Info => LogLevel.Information,
            LoggingLevel.Warning => LogLevel.Warning,
            LoggingLevel.Error => LogLevel.Error,
            _ => LogLevel.Critical,
        },
        "{Category}: {Message}", line.Category, line.Message);
}

/// <summary>Not ready once the host was told to stop.</summary>
internal sealed class ModelsHealthCheck(IHostApplicationLifetime life) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context, CancellationToken cancellationToken) =>
        Task.FromResult(life.ApplicationStopping.IsCancellationRequested
            ? HealthCheckResult.Unhealthy("stopping")
            : HealthCheckResult.Healthy());
}
// docs: dependency injection end

/// <summary>The models of a folder, each with a session that all requests share.</summary>
internal sealed class ModelStore : IDisposable
{
    private readonly Dictionary<string, ServedModel> _models = [];

    public ModelStore(Env env, string folder)
    {
        using var options = new SessionOptions().AppendExecutionProvider("AOT");
        foreach (var path in Directory.GetFiles(folder, "*.onnx"))
        {
            var name = Path.GetFileNameWithoutExtension(path);
            name = name.EndsWith("_ctx", StringComparison.Ordinal) ? name[..^4] : name;
            _models.Add(name, new ServedModel(name, new Session(env, path, options)));
        }
    }

    public ServedModel? Find(string name) => _models.GetValueOrDefault(name);

    public void Dispose()
    {
        foreach (var model in _models.Values)
        {
            model.Session.Dispose();
        }
    }
}

/// <summary>A model and its name.</summary>
internal sealed record ServedModel(string Name, Session Session);
