// SPDX-License-Identifier: MIT
// The long runs: soak lives|collector|cancel|exit|large FOLDER-OF-MODELS COUNT
// Each ends with 0 when all is well, and says on stderr what is not.
using System;
using System.Globalization;
using System.IO;
using OrtC.Soak;

var models = args[1];
var count = int.Parse(args[2], CultureInfo.InvariantCulture);
string Model(string name) => Path.Combine(models, name + ".onnx");

return args[0] switch
{
    "lives" => Lives.Run(Model("trivial"), count),
    "collector" => Collector.Run(Model("digits"), count),
    "cancel" => Cancelling.Run(Model("slow"), count),
    "exit" => Exiting.Run(Model("slow"), count),
    "large" => Large.Run(Model("half")),
    _ => 2,
};
