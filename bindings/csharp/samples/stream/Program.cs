// SPDX-License-Identifier: MIT
// Compiles into a compressed stream and loads from it, with progress: stream MODEL.onnx FILE.gz
using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using OrtC;

using var env = new Env("stream");
using var options = new SessionOptions().AppendExecutionProvider("AOT");

// docs: progress begin
var progress = new Progress<CompileProgress>(at => Console.Error.Write($"\r{at}    "));
using var compiler = new ModelCompiler(env, options, args[0])
{
    Deadline = TimeSpan.FromMinutes(10),
};
compiler.Options.SetEmbedMode(true); // contexts go into the model
using (var file = new GZipStream(File.Create(args[1]), CompressionLevel.Fastest))
{
    await compiler.CompileToStreamAsync(file, progress);
}
// docs: progress end
Console.WriteLine($"compiled to {Path.GetFileName(args[1])}");

using var compressed = new GZipStream(File.OpenRead(args[1]), CompressionMode.Decompress);
using var session = Session.FromStream(env, compressed, options);
Console.WriteLine(string.Join("\n", session.Inputs.Concat(session.Outputs)));
