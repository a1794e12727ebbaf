import { AppFolder, installing } from "@tryon/test-kit/app-folder";
import { packedPackages } from "@tryon/test-kit/packages";
import { afterAll, beforeAll, expect, it } from "vitest";

let app: AppFolder;

beforeAll(async () => {
  const { client } = await packedPackages();
  const rollup = ["rollup@4.68.8", "@rollup/plugin-node-resolve@16.0.3"];
  const others = ["webpack@5.113.0", "@rspack/core@2.3.3", "parcel@2.16.4"];
  app = await AppFolder.with("bundlers", client, ...rollup, ...others);
  const text = 'prepareImage(new Blob(["no image"])).catch(({ code }) => console.log(code));';
  await app.write("module.mjs", `import { prepareImage } from "@tryon/client/node";\n${text}`);
  await app.write("script.cjs", `const { prepareImage } = require("@tryon/client/node");\n${text}`);
  await app.write("build.mjs", build);
  await app.write("save.mjs", save);
  await app.write("rollup.config.mjs", rollupConfig);
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

const save = `
import { TryOn } from "@tryon/client";

const job = { job_id: "job_1", status: "succeeded", result_url: "https://store.example/a.png" };
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=";
const fetch = async (url) =>
  url.startsWith("https://store.") ? new Response(Buffer.from(pixel, "base64")) : Response.json(job);
const tryon = new TryOn({ apiKey: "svc_test_a", baseUrl: "https://tryon.example", fetch });
const saved = tryon.jobs.resume("job_1").result().then(({ image }) => image.save("out.png"));
saved.then(() => console.log("saved"), ({ message }) => console.log(message));
`;
const rollupConfig = `
import { nodeResolve } from "@rollup/plugin-node-resolve";

const conditions = process.env.CONDITIONS ? { exportConditions: ["node"] } : {};
export default {
  input: "save.mjs",
  output: { file: "rollup.mjs", inlineDynamicImports: true },
  external: /^node:/,
  plugins: [nodeResolve(conditions)],
};
`;

it("rollup saves an image with exportConditions, which an error names without it", async () => {
  const bundle = (environment = {}) => app.run("node_modules/.bin/rollup", ["-c"], environment);
  await bundle();
  expect(await app.run("node", ["rollup.mjs"])).toContain('exportConditions: ["node"] (rollup)');
  await bundle({ CONDITIONS: "node" });
  expect(await app.run("node", ["rollup.mjs"])).toBe("saved\n");
});

it("Parcel saves an image with packageExports, which an error names without it", async () => {
  const target = { context: "node", outputFormat: "commonjs", includeNodeModules: true };
  const run = async (options: object): Promise<string> => {
    const targets = { app: { ...target, source: "save.mjs", distDir: "parcel" } };
    const manifest = { name: "app", private: true, targets, ...options };
    await app.write("package.json", JSON.stringify(manifest));
    await app.run("node_modules/.bin/parcel", ["build", "--no-cache"]);
    return app.run("node", ["parcel/save.js"]);
  };
  expect(await run({})).toContain("packageExports (Parcel)");
  const exports = { "@parcel/resolver-default": { packageExports: true } };
  expect(await run(exports)).toBe("saved\n");
});

it.each([
  ["webpack", "module.mjs"],
  ["webpack", "script.cjs"],
  ["rspack", "module.mjs"],
  ["rspack", "script.cjs"],
])("%s bundles %s without sharp, and says nothing", async (bundler, entry) => {
  expect(JSON.parse(await app.run("node", ["build.mjs", bundler, entry]))).toEqual([null]);
  expect(await app.run("node", [`${bundler}-${entry}.cjs`])).toBe("invalid_input\n");
});
