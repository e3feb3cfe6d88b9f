// SPDX-License-Identifier: MIT
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Xunit;

namespace OrtC.Tests;

public class ErrorTests
{
    public static IEnumerable<object[]> Codes() =>
        Enum.GetValues<ErrorCode>().Where(code => code != ErrorCode.Ok)
            .Select(code => new object[] { code });

    [Theory]
    [MemberData(nameof(Codes))]
    public void Every_code_arrives_with_its_text(ErrorCode code)
    {
        // A status made from an exception goes through the library and comes back.
        using var options = new SessionOptions();
        options.LoadProgress = _ => throw new Foreign(code, "größe: " + code);
        var exception = Rig.Fails(code, () => new Session(
            Rig.Env, Rig.Model("trivial.onnx"), options));
        Assert.IsType<Foreign>(exception);

        var made = Status.ToException(Status.FromCode(code, "größe: " + code));
        Assert.Equal("größe: " + code, made.Message);
        Assert.Equal(code, ((IOrtError)made).Code);
        Assert.IsType(code switch
        {
            ErrorCode.InvalidArgument => typeof(OrtArgumentException),
            ErrorCode.NoSuchFile => typeof(OrtFileNotFoundException),
            ErrorCode.NotImplemented => typeof(OrtNotSupportedException),
            ErrorCode.ModelLoadCanceled => typeof(OrtCanceledException),
            _ => typeof(OrtException),
        }, made);
    }

    [Fact]
    public void Success_has_no_status()
    {
        Assert.Equal(0, Status.FromCode(ErrorCode.Ok, ""));
        Status.ThrowIfFailed(0);
    }

    [Fact]
    public void Exceptions_are_those_that_NET_users_expect()
    {
        var folder = Rig.NewFolder();
        var text = Path.Combine(folder, "text.onnx");
        File.WriteAllText(text, "this is no model");
        Assert.IsAssignableFrom<FileNotFoundException>(Rig.Fails(ErrorCode.NoSuchFile, "größe",
            () => new Session(Rig.Env, Path.Combine(folder, "größe.onnx"))));
        Assert.IsType<OrtException>(Rig.Fails(
            ErrorCode.InvalidProtobuf, () => new Session(Rig.Env, text)));
        Assert.IsAssignableFrom<NotSupportedException>(Rig.Fails(ErrorCode.NotImplemented,
            () => new Session(Rig.Env, Rig.Data("unknown_operator.onnx"))));
        Assert.IsAssignableFrom<ArgumentException>(Rig.Fails(
            ErrorCode.InvalidArgument, () => new Session(Rig.Env, "")));
        using var options = new SessionOptions();
        options[SessionConfigKeys.DisableModelCompile] = "1";
        options.AppendExecutionProvider("AOT");
        Rig.Fails(ErrorCode.ModelRequiresCompilation,
            () => new Session(Rig.Env, Rig.Model("digits.onnx"), options));
        Assert.Throws<ArgumentNullException>(() => new Session(null!, text));
        Rig.Fails(ErrorCode.InvalidArgument, () => new Session(Rig.Env, null!));
        Rig.Fails(ErrorCode.InvalidArgument, () => Session.FromBytes(Rig.Env, []));
        Assert.Throws<ArgumentException>(() => new Session(Rig.Env, "a\0b.onnx"));
        using var stopped = new System.Threading.CancellationTokenSource();
        stopped.Cancel();
        Assert.Throws<OperationCanceledException>(
            () => new Session(Rig.Env, text, null, stopped.Token));
    }

    [Fact]
    public void An_exception_inside_another_text_is_the_inner_one()
    {
        var thrown = new TimeoutException("enough");
        var status = Status.FromException(thrown);
        Assert.Same(thrown, Status.ToException(status));
        var mark = CallbackErrors.Keep(thrown);
        Assert.Same(thrown, Status.ToException(
            Status.FromCode(ErrorCode.Fail, "reading x.bin: " + mark)));
        var nested = Status.ToException(
            Status.FromCode(ErrorCode.Fail, "the group was given up: " + mark));
        Assert.Equal("the group was given up: enough", nested.Message);
        Assert.Same(thrown, nested.InnerException);
        Assert.Equal("just [exception x of a callback]", Status.ToException(
            Status.FromCode(ErrorCode.Fail, "just [exception x of a callback]")).Message);
    }

    private sealed class Foreign(ErrorCode code, string message) : Exception(message), IOrtError
    {
        public ErrorCode Code => code;
    }
}
