import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { afterAll, beforeAll, expect, it } from "vitest";

let app: AppFolder;

beforeAll(async () => {
  const { client } = await packedPackages();
  app = await AppFolder.with("bundlers", client, "webpack@5.113.0", "@rspack/core@2.3.3");
  const text = 'prepareImage(new Blob(["no image"])).catch(({ code }) => console.log(code));';
  await app.write("module.mjs", `import { prepareImage } from "@tryon/client/node";\n${text}`);
  await app.write("script.cjs", `const { prepareImage } = require("@tryon/client/node");\n${text}`);
  await app.write("build.mjs", build);
}, installing);

afterAll(() => app.remove(), installing);

const build = `
import webpack from "webpack";
import { rspack } from "@rspack/core";

const [name, entry] = process.argv.slice(2);
const output = { path: import.meta.dirname, filename: name + "-" + entry + ".cjs" };
const options = { mode: "production", target: "node", context: import.meta.dirname, entry: "./" + entry, output };
({ webpack, rspack })[name](options, (error, stats) => {
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  console.log(JSON.stringify([error, ...errors, ...warnings]));
});
`;

it.each([
  ["webpack", "module.mjs"],
  ["webpack", "script.cjs"],
  ["rspack", "module.mjs"],
  ["rspack", "script.cjs"],
])("%s bundles %s without sharp, and says nothing", async (bundler, entry) => {
  expect(JSON.parse(await app.run("node", ["build.mjs", bundler, entry]))).toEqual([null]);
  expect(await app.run("node", [`${bundler}-${entry}.cjs`])).toBe("invalid_input\n");
});
