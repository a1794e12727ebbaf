import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { UsageError, withEnvFile } from "./index.ts";
import { decodeCsv, decodeText } from "@tryon/shared/text-file";

const text = "look,décontracté\n文字,🧥\n";
const bigEndian = Buffer.from(`\uFEFF${text}`, "utf16le").swap16();

test.each([
  ["UTF-8", Buffer.from(text)],
  ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${text}`)],
  ["UTF-16LE with a byte order mark", Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16BE with a byte order mark", bigEndian],
])("decodes %s", (_name, bytes) => {
  expect(decodeText(bytes, "a.csv")).toBe(text);
});

test.each([
  ["windows-1252", Buffer.from("id\nb\ncafé\n", "latin1"), "line 3 is not text in UTF-8"],
  ["Shift JIS", Buffer.from([0x69, 0x64, 0x0a, 0x95, 0x9e]), "line 2 is not text in UTF-8"],
  ["an invalid byte after a line break", Buffer.from("\n\xFF", "latin1"), "line 2 is not text"],
  ["FF before a letter", Buffer.from("\xFFA", "latin1"), "line 1 is not text in UTF-8"],
  ["FE after a letter", Buffer.from("A\xFE", "latin1"), "line 1 is not text in UTF-8"],
  ["FE before a letter", Buffer.from("\xFEA", "latin1"), "line 1 is not text in UTF-8"],
  ["FF after a letter", Buffer.from("A\xFF", "latin1"), "line 1 is not text in UTF-8"],
  ["UTF-8 that is cut off", Buffer.from("id\né").subarray(0, -1), "line 2 is not text in UTF-8"],
  ["UTF-16LE without a byte order mark", Buffer.from("id\n", "utf16le"), "line 1 has a NUL"],
  ["UTF-32LE", Buffer.from([0xff, 0xfe, 0, 0, 0x69, 0, 0, 0]), "line 1 has a NUL"],
  ["UTF-16LE that is cut off", Buffer.from("\uFEFFid", "utf16le").subarray(0, -1), "is not text"],
])("refuses %s, with the line", (_name, bytes, problem) => {
  const decode = () => decodeText(bytes, "a.csv");
  expect(decode).toThrow(UsageError);
  expect(decode).toThrow(`a.csv ${problem}`);
  expect(decode).toThrow(/Save it as UTF-8\.$/);
});

test.each([["Röcke,Gürtel,été,Größe,camión\n"], ["jupe évasée, créée\n"]])(
  "decodes %j of a spreadsheet in windows-1252, and reports it",
  (content) => {
    let reports = 0;
    const decoded = decodeCsv(Buffer.from(content, "latin1"), "a.csv", () => (reports += 1));
    expect({ decoded, reports }).toEqual({ decoded: content, reports: 1 });
  },
);

test.each([
  ["windows-1252 with a letter of other encodings", [0x63, 0x72, 0xe8, 0x6d, 0x65]],
  ["windows-1252 without words", [0x20, 0xe9, 0x20]],
  ["UTF-16 without a byte order mark", [0x61, 0x00, 0xe9, 0x00]],
  ["windows-1251", [0xef, 0xeb, 0xe0, 0xf2, 0xfc, 0xe5]],
  ["Shift JIS", [0x94, 0x92, 0x20, 0x54, 0x83, 0x56, 0x83, 0x83, 0x83, 0x63]],
  ["GBK", [0x54, 0xd0, 0xf4]],
  ["windows-1250", [0x73, 0x75, 0xeb, 0x6e, 0x65]],
])("refuses a spreadsheet in %s", (_name, codes) => {
  const decode = () => decodeCsv(Uint8Array.from(codes), "a.csv", () => undefined);
  expect(decode).toThrow(/Save it as UTF-8\.$/);
});

function readEnv(content: string | Uint8Array) {
  const folder = mkdtempSync(join(tmpdir(), "tryon-env-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, ".env"), content);
  let noted = "";
  const environment = { TRYON_API_KEY: "svc_live_environment", PATH: "/bin" };
  const stderr = { write: (line: string) => (noted += line) };
  const values = withEnvFile(environment, join(folder, ".env"), stderr);
  return { values, noted };
}

test.each([
  ["UTF-8", "TRYON_API_KEY=svc_test_file\n"],
  ["a byte order mark", "\uFEFFTRYON_API_KEY=svc_test_file\n"],
  ["UTF-16", Buffer.from("\uFEFFTRYON_API_KEY=svc_test_file\r\n", "utf16le")],
  [
    "CRLF, quotes and comments",
    '# a\r\nTRYON_API_KEY = "svc_test_file" # b\r\n#TRYON_API_KEY=\r\n',
  ],
  ["CR", "A=1\rTRYON_API_KEY=svc_test_file\r"],
  ["export", "export TRYON_API_KEY='svc_test_file'\n"],
  ["names that contain it", "MY_TRYON_API_KEY=\nA=TRYON_API_KEY\nTRYON_API_KEY=svc_test_file"],
])("reads a variable of --env-file with %s, and prints its name only", (_name, content) => {
  const { values, noted } = readEnv(content);
  expect(values).toMatchObject({ TRYON_API_KEY: "svc_test_file", PATH: "/bin" });
  expect(noted).toBe("--env-file sets TRYON_API_KEY\n");
});

test("accepts a quote inside a value of --env-file", () => {
  expect(readEnv("TRYON_OTHER=it's\n").values).toMatchObject({ TRYON_OTHER: "it's" });
});

test("prints that --env-file sets no variable of the commands", () => {
  expect(readEnv("PORT=1\n").noted).toBe("--env-file sets no name that begins with TRYON_\n");
});

test.each([
  ["TRYON_API_KEY", /line 1: TRYON_API_KEY cannot be read\. Write TRYON_API_KEY=value/],
  ["A=1\nTRYON_API_KEY=\n", /line 2: TRYON_API_KEY is empty/],
  ['TRYON_API_KEY=" "', /line 1: TRYON_API_KEY is empty/],
  ["TRYON_API_KEY: svc_test_file", /line 1: TRYON_API_KEY cannot be read/],
  ['TRYON_API_KEY="svc_test_file', /line 1: TRYON_API_KEY (?:has an open quote|cannot be read)/],
  ["TRYON_API_KEY='svc_test_file", /line 1: TRYON_API_KEY (?:has an open quote|cannot be read)/],
  ['TRYON_API_KEY="svc_test_file\nA="1"', /line 1: TRYON_API_KEY has an open quote/],
  ['A="1\nTRYON_API_KEY=svc_test_file\nB="2"', /line 2: TRYON_API_KEY cannot be read/],
  ["\u200BTRYON_API_KEY=svc_test_file", /line 1: TRYON_API_KEY cannot be read/],
  ["TRYON_\u00ADAPI_KEY=svc_test_file", /line 1: TRYON_API_KEY cannot be read/],
  ["\u00A0TRYON_API_KEY=svc_test_file", /line 1: TRYON_API_KEY cannot be read/],
  ["TRYON_API_KEY=svc_test_\u200Bfile", /line 1: TRYON_API_KEY has an open quote or an invisible/],
  ["tryon_api_key=svc_test_file", /line 1: TRYON_API_KEY cannot be read/],
  ["$env:TRYON_API_KEY = 'svc_test_file'", /line 1: TRYON_API_KEY cannot be read/],
  ["TRYON_API_KEY=svc_test_file\nTRYON_API_KEY=svc_test_b", /line 2: .* is also in line 1/],
  [
    Buffer.from("A=é\nTRYON_API_KEY=svc_test_file", "latin1"),
    /--env-file line 1 is not text in UTF-8/,
  ],
])("refuses %j in --env-file, instead of the key of the environment", (content, message) => {
  expect(() => readEnv(content)).toThrow(UsageError);
  expect(() => readEnv(content)).toThrow(message);
  expect(() => readEnv(content)).not.toThrow(/svc_/);
});

test("names the option of a file that cannot be read", () => {
  expect(() => withEnvFile({}, join(tmpdir(), "tryon-none/.env"), process.stderr)).toThrow(
    new UsageError("the file of --env-file cannot be read. Check its path."),
  );
});
