import { describe, expect, it, onTestFinished, vi } from "vitest";

import { completeSignal } from "../http/complete-signal.ts";
import { checkApp } from "../config/check-app.ts";
import { RelativeTime } from "./globals.ts";
import { HttpUrl } from "./http-url.ts";
import { MemoryBlob } from "./memory-blob.ts";
import { nativeImage } from "./native-image.ts";
import { decodeUtf8, binaryText } from "./read-utf8.ts";

describe("URLs of an app", () => {
  it.each([
    "https://shop.example",
    "HTTPS://Shop.Example:443/api/tryon",
    "http://127.0.0.1:8080/api?a=1#b",
    "http://[::1]:80/",
    "https://ada:secret@shop.example/a@b",
    " https://shop.example/api/ ",
    "https://shop.example?a=/b",
  ])("are those of browsers: %j", (text) => {
    const { href, protocol, hostname, origin, pathname } = new URL(text);
    expect(new HttpUrl(text)).toMatchObject({ href, protocol, hostname, origin, pathname });
    expect(HttpUrl.canParse(text)).toBe(true);
    expect(String(new HttpUrl(text))).toBe(href);
  });

  it.each([
    "",
    "/api/tryon",
    "shop.example",
    "ftp://shop.example",
    "https://",
    "https:///a",
    "https://shop example/",
    "https://good.example\\@evil.example/",
    "https://a:b:c@d@e/",
    "https://shop.example:port/",
    undefined,
  ])("are refused: %j", (text) => {
    expect(HttpUrl.canParse(text)).toBe(false);
    expect(() => new HttpUrl(text)).toThrow(TypeError);
  });
});

describe("a blob in memory", () => {
  it("has the bytes of its parts", async () => {
    const bytes = new TextEncoder().encode("Größe ✓ 👕");
    const blob = new MemoryBlob(["a", bytes, bytes.buffer, new MemoryBlob(["b"])], { type: "x/y" });
    expect(Object.prototype.toString.call(blob)).toBe("[object Blob]");
    expect([blob.size, blob.type]).toEqual([2 * bytes.length + 2, "x/y"]);
    expect(await blob.text()).toBe("aGröße ✓ 👕Größe ✓ 👕b");
    const slice = blob.slice(0, 3, "z");
    expect(new Uint8Array(await slice.arrayBuffer())).toEqual(Uint8Array.of(97, 71, 114));
    expect([slice.type, blob.slice().type, new MemoryBlob().size]).toEqual(["z", "", 0]);
  });

  it("reads bytes that are not UTF-8", () => {
    expect(decodeUtf8(binaryText(Uint8Array.of(97, 0xff, 98)))).toBe("a\ufffdb");
  });
});

describe("images of an app", () => {
  it.each([
    [{ uri: "https://shop.example/a.png" }, "https://shop.example/a.png"],
    [{ uri: "data:image/png;base64,AAAA" }, "data:image/png;base64,AAAA"],
    [{ href: "https://shop.example/a.png" }, "https://shop.example/a.png"],
    [{ uri: 1 }, undefined],
    [undefined, undefined],
  ])("%j", (image, expected) => {
    expect(nativeImage(image)).toBe(expected);
  });

  it("can be read once by URI and as a blob", () => {
    for (const image of [{ uri: "file:///a.jpg" }, new Blob(["a"])]) {
      expect(Object.prototype.toString.call(nativeImage(image))).toBe("[object Response]");
    }
  });
});

it("accepts signals as they are if they are complete", () => {
  const { signal } = new AbortController();
  expect(completeSignal(signal)).toBe(signal);
  expect(completeSignal(undefined)).toBeUndefined();
  expect(Object.keys(signal)).toEqual([]);
});

it.each([
  ["crypto", "This app has no crypto.getRandomValues, which idempotency keys need."],
  ["TextEncoder", "This app has no TextEncoder. Use React Native 0.79 or newer."],
])("names what an app lacks: %s", (name, message) => {
  expect(checkApp).not.toThrow();
  vi.stubGlobal(name, undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(checkApp).toThrow(message);
});

it("formats times in English", () => {
  const time = new RelativeTime();
  expect([time.format(1, "minute"), time.format(3, "minute")]).toEqual([
    "in 1 minute",
    "in 3 minutes",
  ]);
});
