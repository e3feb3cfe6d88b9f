#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes tests/fuzz/corpus/image_decoder: one small picture in every form that the readers know.

    make_images.py

What needs an encoder is made by Debian's libjpeg-turbo-progs, webp, libtiff-tools, libopenjp2-tools
and libjpeg62-turbo-dev. The picture has 13 x 7 pixels, (19 x, 36 y, 255 - 9 x - 20 y); files whose
names begin with grey_ have its luma, palette_ and bits_ what fits into few colours; ycc.jp2 has 8 x 4 pixels of one colour. A lossy
file has beside it, as .ppm, what its library's own tool makes of it. broken_ files are cut off or lie.
Run it from anywhere; files that fuzzing has added are left alone.
"""
import pathlib
import struct
import subprocess
import tempfile
import zlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "image_decoder"
WIDTH, HEIGHT = 13, 7
RGB = [[(19 * x, 36 * y, 255 - 9 * x - 20 * y) for x in range(WIDTH)] for y in range(HEIGHT)]
GREY = [[(19595 * r + 38470 * g + 7471 * b + 0x8000) >> 16 for r, g, b in row] for row in RGB]
COLOURS = [(0, 0, 0), (255, 0, 0), (0, 255, 0), (9, 8, 7)]
INDICES = [[(x + y) % 4 for x in range(WIDTH)] for y in range(HEIGHT)]
BITS = [[(x ^ y) & 1 for x in range(WIDTH)] for y in range(HEIGHT)]


def write(name, content):
    (FOLDER / name).write_bytes(content)
    return content


def packed(row, bits):
    """Indices of 1, 2, 4 or 8 bits, the first in the highest bits."""
    number = "".join(format(v, f"0{bits}b") for v in row)
    number += "0" * (-len(number) % 8)
    return bytes(int(number[i:i + 8], 2) for i in range(0, len(number), 8))


# --- PNM.

def pnm():
    flat = [v for row in RGB for pixel in row for v in pixel]
    grey = [v for row in GREY for v in row]
    write("rgb.ppm", b"P6\n13 7\n255\n" + bytes(flat))
    write("rgb_text.ppm", f"P3 # text\n13 7 255 {' '.join(map(str, flat))}\n".encode())
    write("rgb_16.ppm", b"P6 13 7 65535\n" + struct.pack(f">{len(flat)}H", *(v * 257 for v in flat)))
    write("grey.pgm", b"P5\n# a comment\n13 7\n255\n" + bytes(grey))
    write("grey_text.pgm", f"P2\n13 7\n255\n{' '.join(map(str, grey))}".encode())
    write("bits.pbm", b"P4 13 7\n" + b"".join(packed([1 - b for b in row], 1) for row in BITS))
    write("bits_text.pbm", b"P1 13 7\n" + "".join(str(1 - b) for row in BITS for b in row).encode())
    write("broken_short.ppm", b"P6\n13 7\n255\n" + bytes(flat)[:-1])
    write("broken_huge.ppm", b"P6\n99999999 99999999\n255\n")
    write("broken_no_pixels.pgm", b"P5 0 7 255\n")


# --- BMP.

def bmp(name, bits, rows, palette=b"", size=40, coding=0, masks=b"", top_down=False, colours=0):
    rows = rows if top_down else rows[::-1]
    pixels = rows[0] if coding in (1, 2) else b"".join(row + b"\0" * (-len(row) % 4) for row in rows)
    if size == 12:
        header = struct.pack("<IHHHH", 12, WIDTH, HEIGHT, 1, bits)
    else:
        header = struct.pack("<IiiHHIIiiII", size, WIDTH, -HEIGHT if top_down else HEIGHT, 1, bits,
                             coding, len(pixels), 2835, 2835, colours, 0)
        header += masks + b"\0" * (size - 40 - (len(masks) if size > 40 else 0))
    offset = 14 + len(header) + len(palette)
    return write(name, b"BM" + struct.pack("<IHHI", offset + len(pixels), 0, 0, offset) + header
                 + palette + pixels)


def bmp_runs_8():
    out = b""
    for row in INDICES[::-1]:
        out += bytes([1, row[0], 0, 12]) + bytes(row[1:]) + b"\0\0"
    return [out + b"\0\1"]


def bmp_runs_4():
    out = b""
    for row in INDICES[::-1]:
        out += bytes([2, row[0] << 4 | row[1], 0, 11]) + packed(row[2:], 4) + b"\0\0"
    return [out + b"\0\1"]


def bmps():
    palette = b"".join(bytes([b, g, r, 0]) for r, g, b in COLOURS)
    black_white = bytes([0, 0, 0, 0, 255, 255, 255, 0])
    bgr = [bytes(v for r, g, b in row for v in (b, g, r)) for row in RGB]
    bgrx = [bytes(v for r, g, b in row for v in (b, g, r, 77)) for row in RGB]
    bmp("rgb_24.bmp", 24, bgr)
    bmp("rgb_24_core.bmp", 24, bgr, size=12)
    bmp("rgb_32_down.bmp", 32, bgrx, top_down=True)
    bmp("rgb_32_masks.bmp", 32, [struct.pack("<13I", *(r | g << 8 | b << 16 for r, g, b in row))
                                 for row in RGB],
        coding=3, masks=struct.pack("<3I", 255, 0xff00, 0xff0000))
    bmp("rgb_32_masks_56.bmp", 32, bgrx, size=56, coding=3,
        masks=struct.pack("<4I", 0xff0000, 0xff00, 255, 0xff000000))
    bmp("palette_8.bmp", 8, [bytes(row) for row in INDICES], palette, colours=4)
    bmp("palette_4.bmp", 4, [packed(row, 4) for row in INDICES], palette, colours=4)
    bmp("palette_4_core.bmp", 4, [packed(row, 4) for row in INDICES],
        b"".join(bytes([b, g, r]) for r, g, b in COLOURS), size=12)
    bmp("palette_8_runs.bmp", 8, bmp_runs_8(), palette, coding=1, colours=4)
    bmp("palette_4_runs.bmp", 4, bmp_runs_4(), palette, coding=2, colours=4)
    bmp("bits_1.bmp", 1, [packed(row, 1) for row in BITS], black_white)
    bmp("fifteen.bmp", 16, [struct.pack("<13H", *(r >> 3 << 10 | g >> 3 << 5 | b >> 3
                                                  for r, g, b in row)) for row in RGB])
    bmp("sixteen.bmp", 16, [struct.pack("<13H", *(r >> 3 << 11 | g >> 2 << 5 | b >> 3
                                                  for r, g, b in row)) for row in RGB],
        coding=3, masks=struct.pack("<3I", 0xf800, 0x7e0, 0x1f))
    bmp("moves.bmp", 8, [bytes([3, 1, 0, 2, 2, 1, 200, 2, 0, 1])], palette, coding=1, colours=4)
    whole = bmp("broken_coding.bmp", 24, bgr, coding=5)
    write("broken_short.bmp", whole[:40])


# --- PNG.

def png(name, kind, depth, rows, before=(), adam7=False):
    def chunk(tag, content):
        return (struct.pack(">I", len(content)) + tag + content
                + struct.pack(">I", zlib.crc32(tag + content)))
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return write(name, b"\x89PNG\r\n\x1a\n"
                 + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, kind, 0, 0, adam7))
                 + b"".join(chunk(*c) for c in before) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def adam7_rows():
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                           (1, 0, 2, 2), (0, 1, 1, 2)):
        for row in RGB[y0::dy]:
            yield bytes(v for pixel in row[x0::dx] for v in pixel)


def pngs():
    rgb = [bytes(v for pixel in row for v in pixel) for row in RGB]
    palette = (b"PLTE", bytes(v for colour in COLOURS for v in colour))
    whole = png("rgb_8.png", 2, 8, rgb)
    png("rgb_interlaced.png", 2, 8, list(adam7_rows()), adam7=True)
    png("rgb_16.png", 2, 16, [bytes(b for v in row for b in (v, 99)) for row in rgb])
    png("rgb_alpha.png", 6, 8, [bytes(v for pixel in row for v in (*pixel, 33)) for row in RGB])
    png("rgb_key.png", 2, 8, rgb, [(b"tRNS", struct.pack(">HHH", 0, 0, 255))])
    png("grey_8.png", 0, 8, [bytes(row) for row in GREY])
    png("grey_alpha.png", 4, 8, [bytes(v for p in row for v in (p, 200)) for row in GREY])
    png("bits_1.png", 0, 1, [packed(row, 1) for row in BITS])
    png("palette_2.png", 3, 2, [packed(row, 2) for row in INDICES],
        [palette, (b"tRNS", b"\x00\x80")])
    write("broken_short.png", whole[:-40])
    write("broken_sum.png", whole[:45] + bytes([whole[45] ^ 1]) + whole[46:])
    head = b"IHDR" + struct.pack(">II", 1 << 30, 1 << 30) + whole[24:29]
    write("broken_huge.png", whole[:12] + head + struct.pack(">I", zlib.crc32(head)) + whole[33:])


# --- By other programs.

CMYK = """
#include <stdio.h>
#include <jpeglib.h>
int main(void) {
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, stdout);
  jpeg.image_width = 13, jpeg.image_height = 7, jpeg.input_components = 4;
  jpeg.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < 7; ++y) {
    JSAMPLE row[52], *rows[] = {row};
    for (int x = 0; x < 13; ++x)
      row[4 * x] = 19 * x, row[4 * x + 1] = 36 * y, row[4 * x + 2] = 50, row[4 * x + 3] = 255;
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  return 0;
}
"""


def run(*command, text=None):
    return subprocess.run([str(word) for word in command], input=text, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def jpegs(folder):
    for name, source, options in (
            ("lossy_420.jpg", "rgb.ppm", ("-quality", "80")),
            ("lossy_444.jpg", "rgb.ppm", ("-sample", "1x1", "-restart", "1")),
            ("lossy_422.jpg", "rgb.ppm", ("-sample", "2x1", "-optimize")),
            ("lossy_progressive.jpg", "rgb.ppm", ("-progressive",)),
            ("lossy_arithmetic.jpg", "rgb.ppm", ("-arithmetic",)),
            ("lossy_grey.jpg", "grey.pgm", ())):
        write(name, run("cjpeg", *options, FOLDER / source))
        write(name + ".ppm", run("djpeg", "-pnm", FOLDER / name))
    run("cc", "-x", "c", "-", "-o", folder / "cmyk", "-ljpeg", text=CMYK.encode())
    write("cmyk.jpg", run(folder / "cmyk"))
    whole = (FOLDER / "lossy_420.jpg").read_bytes()
    write("broken_short.jpg", whole[:-30])
    write("broken_header.jpg", whole[:50])


def webps(folder):
    run("cwebp", "-lossless", FOLDER / "rgb.ppm", "-o", FOLDER / "rgb.webp")
    run("cwebp", "-lossless", "-exact", FOLDER / "rgb_alpha.png", "-o", FOLDER / "rgb_alpha.webp")
    run("cwebp", "-q", "70", FOLDER / "rgb.ppm", "-o", FOLDER / "lossy.webp")
    run("dwebp", "-ppm", FOLDER / "lossy.webp", "-o", FOLDER / "lossy.webp.ppm")
    run("img2webp", FOLDER / "rgb_8.png", FOLDER / "grey_8.png", "-o", FOLDER / "animated.webp")
    whole = (FOLDER / "lossy.webp").read_bytes()
    write("broken_short.webp", whole[:-40])
    write("broken_header.webp", whole[:20])


def tiff(name, tags, pixels):
    """One strip, little-endian; a tag's value is one number or several of its type."""
    tags = {256: (3, WIDTH), 257: (3, HEIGHT), 278: (3, HEIGHT), 279: (4, len(pixels)), 273: (4, 0),
            **tags}
    codes = {3: "H", 4: "I"}
    at = 8 + 2 + 12 * len(tags) + 4
    entries, behind = b"", b""
    lists = {tag: value for tag, (_, value) in tags.items() if isinstance(value, tuple)}
    size_behind = sum(len(v) * 2 for v in lists.values() if len(v) > 2)
    for tag in sorted(tags):
        kind, value = tags[tag]
        value = at + size_behind if tag == 273 else value
        values = value if isinstance(value, tuple) else (value,)
        raw = struct.pack(f"<{len(values)}{codes[kind]}", *values)
        if len(raw) > 4:
            field = struct.pack("<I", at + len(behind))
            behind += raw
        else:
            field = raw + b"\0" * (4 - len(raw))
        entries += struct.pack("<HHI", tag, kind, len(values)) + field
    return write(name, b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + b"\0\0\0\0" + behind
                 + pixels)


def tiffs():
    rgb = bytes(v for row in RGB for pixel in row for v in pixel)
    whole = tiff("rgb.tif", {258: (3, (8, 8, 8)), 262: (3, 2), 277: (3, 3)}, rgb)
    tiff("rgb_alpha.tif", {258: (3, (8, 8, 8, 8)), 262: (3, 2), 277: (3, 4), 338: (3, 2)},
         bytes(v for row in RGB for pixel in row for v in (*pixel, 90)))
    tiff("grey.tif", {258: (3, 8), 262: (3, 1), 277: (3, 1)}, bytes(v for row in GREY for v in row))
    tiff("bits.tif", {258: (3, 1), 262: (3, 1), 277: (3, 1)},
         b"".join(packed(row, 1) for row in BITS))
    tiff("rgb_bottom.tif", {258: (3, (8, 8, 8)), 262: (3, 2), 277: (3, 3), 274: (3, 4)},
         bytes(v for row in RGB[::-1] for pixel in row for v in pixel))
    for coding in ("lzw", "zip", "packbits"):
        run("tiffcp", "-c", coding, FOLDER / "rgb.tif", FOLDER / f"rgb_{coding}.tif")
    run("tiffcp", "-t", "-w", "16", "-l", "16", FOLDER / "rgb.tif", FOLDER / "rgb_tiles.tif")
    write("broken_short.tif", whole[:-100])
    write("broken_directory.tif", whole[:60])
    tiff("broken_huge.tif", {256: (4, 1 << 30), 257: (4, 1 << 30), 258: (3, (8, 8, 8)), 262: (3, 2),
                             277: (3, 3)}, rgb)


def jpeg2000s(folder):
    for name in ("rgb.jp2", "rgb.j2k"):
        run("opj_compress", "-i", FOLDER / "rgb.ppm", "-o", FOLDER / name, "-n", "2")
    run("opj_compress", "-i", FOLDER / "grey.pgm", "-o", FOLDER / "grey.jp2", "-n", "2")
    raw = folder / "planes.raw"
    raw.write_bytes(b"".join(struct.pack(">H", 257 * pixel[c])
                             for c in range(3) for row in RGB for pixel in row))
    run("opj_compress", "-i", raw, "-F", "13,7,3,16,u", "-o", FOLDER / "rgb_16.jp2", "-n", "2")
    raw.write_bytes(bytes([100]) * 32 + bytes([90]) * 8 + bytes([200]) * 8)
    run("opj_compress", "-i", raw, "-F", "8,4,3,8,u@1x1:2x2:2x2", "-o", FOLDER / "ycc.jp2", "-n", "2")
    whole = (FOLDER / "rgb.jp2").read_bytes()
    write("broken_short.jp2", whole[:-100])
    write("broken_header.jp2", whole[:90])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pnm()
        bmps()
        pngs()
        jpegs(folder)
        webps(folder)
        tiffs()
        jpeg2000s(folder)
    write("broken_unknown", b"GIF89a and so on")
    write("broken_empty", b"")


if __name__ == "__main__":
    main()
