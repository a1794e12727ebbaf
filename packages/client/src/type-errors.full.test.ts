import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import ts from "typescript";
import { expect, it } from "vitest";

const name = join(root, "packages/client/src/type-errors.ts");
const setUp = `
import type { TryOn } from "./index.ts";
declare const tryon: TryOn;
declare const image: Blob;
declare const urls: string[];
declare const four: readonly [Blob, Blob, Blob, Blob];
`;

/** Compiles programs at once, and returns the place and the message of each error by line. */
function compile(lines: readonly string[]) {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: [],
  };
  const text = setUp + lines.join("\n");
  const host = ts.createCompilerHost(options);
  const files = { ...host };
  host.fileExists = (file) => file === name || files.fileExists(file);
  host.getSourceFile = (file, version) =>
    file === name ? ts.createSourceFile(file, text, version) : files.getSourceFile(file, version);
  const program = ts.createProgram([name], options, host);
  const found = program.getSemanticDiagnostics(program.getSourceFile(name));
  const first = setUp.split("\n").length - 1;
  return lines.map((_line, index) =>
    found
      .filter(({ start = 0 }) => text.slice(0, start).split("\n").length - 1 === first + index)
      .map(({ start = 0, length = 0, messageText }) => ({
        at: text.slice(start, start + length),
        message: ts.flattenDiagnosticMessageText(messageText, " "),
      })),
  );
}

const missing = "Type '{}' is missing the following properties from type 'PersonAndGarments'";
const cases: [string, string, RegExp][] = [
  ["{}", "{}", new RegExp(`${missing}: person, garments$`)],
  ["{ garments: [image] }", "{ garments: [image] }", /Property 'person' is missing/],
  ["{ person: image }", "{ person: image }", /Property 'garments' is missing/],
  [
    "{ person: image, garments: [] }",
    "garments",
    /^Type '\[\]' is not assignable to type '.*OneToThreeImages.* Types of property 'length' are incompatible. +Type '0' is not assignable to type 'OneToThree'\.$/,
  ],
  [
    "{ person: image, garments: urls.length > 1 ? [image] : [] }",
    "garments",
    /Type '0' is not assignable to type 'OneToThree'\.$/,
  ],
  [
    "{ person: image, garments: [image, image, image, 'https://a.example/4.png'] }",
    "'https://a.example/4.png'",
    /is not assignable to type '"garments takes 1 to 3 images"'\.$/,
  ],
  [
    "{ person: image, garments: four }",
    "garments",
    /Type '4' is not assignable to type 'OneToThree'\.$/,
  ],
  ["{ person: image, garment: [image] }", "garment", /Did you mean to write 'garments'\?$/],
  ["{ person: image, garments: [1] }", "1", /^Type 'number' is not assignable to type 'ImageInput/],
];
const valid = [
  "{ person: image, garments: urls }",
  "{ person: image, garments: [image, ...urls] }",
  "{ person: image, garments: [image, image, image] }",
  "{ person_url: 'https://a.example/1.png', items: urls }",
];

it("explains inputs that do not compile, at the place of the mistake", () => {
  const inputs = [...cases.map(([input]) => input), ...valid];
  const errors = compile(inputs.map((input) => `void tryon.run(${input});`));
  expect(errors.slice(cases.length)).toEqual(valid.map(() => []));
  for (const [index, [input, at, message]] of cases.entries()) {
    expect(errors[index], input).toEqual([
      { at, message: expect.stringMatching(message) as unknown },
    ]);
  }
});
