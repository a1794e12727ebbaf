import { expect, it } from "vitest";

import { announce } from "./announce.ts";
import { publish } from "./publish.ts";
import { publishArguments, type Registry } from "./registry.ts";
import type { PackedPackage, Release } from "./release.ts";

function packed(name: string): PackedPackage {
  return {
    name: `@tryon/${name}`,
    version: "1.0.0",
    tarball: `${name}.tgz`,
    integrity: `sha512-${name}`,
    notes: `About ${name}.`,
  };
}
const release: Release = { commit: "c0ffee", packages: ["hat", "coat", "shoe"].map(packed) };

/** A registry in memory; `broken` says for a tarball what happens in place of an answer. */
function registry(broken: Readonly<Record<string, "refused" | "lost">> = {}) {
  const there = new Map<string, string>();
  const sent: string[] = [];
  const own: Registry = {
    integrityOf: async (name, version) => there.get(`${name}@${version}`),
    publish: async (tarball) => {
      sent.push(tarball);
      const one = release.packages.find((other) => tarball.endsWith(other.tarball));
      const fault = one && broken[one.tarball];
      if (one && fault !== "refused") there.set(`${one.name}@${one.version}`, one.integrity);
      if (fault !== undefined) throw new Error("500 Internal Server Error");
    },
  };
  return { ...own, there, sent };
}

async function run(to: Registry) {
  const lines: string[] = [];
  const complete = await publish(release, "/out", to, (line) => lines.push(line));
  return { complete, text: lines.join("\n") };
}

it("publishes every package, in order", async () => {
  const to = registry();
  expect((await run(to)).complete).toBe(true);
  expect(to.sent).toEqual(["/out/hat.tgz", "/out/coat.tgz", "/out/shoe.tgz"]);
});

it("publishes nothing the second time", async () => {
  const to = registry();
  await run(to);
  to.sent.length = 0;
  const { complete, text } = await run(to);
  expect({ complete, sent: to.sent }).toEqual({ complete: true, sent: [] });
  expect(text).toContain("@tryon/hat 1.0.0 was published before.");
});

it("stops where one fails, says what is published and what is not, and goes on from there", async () => {
  const broken: Record<string, "refused"> = { "coat.tgz": "refused" };
  const to = registry(broken);
  const { complete, text } = await run(to);
  expect({ complete, sent: to.sent.length }).toEqual({ complete: false, sent: 2 });
  expect(text).toContain("@tryon/coat 1.0.0 is NOT published: 500 Internal Server Error");
  expect(text).toContain(
    "Published: @tryon/hat 1.0.0. Not published: @tryon/coat 1.0.0, @tryon/shoe 1.0.0.",
  );
  delete broken["coat.tgz"];
  to.sent.length = 0;
  expect((await run(to)).complete).toBe(true);
  expect(to.sent).toEqual(["/out/coat.tgz", "/out/shoe.tgz"]);
});

it("takes a package for published whose answer was lost on the way", async () => {
  const { complete, text } = await run(registry({ "coat.tgz": "lost" }));
  expect(complete).toBe(true);
  expect(text).toContain("@tryon/coat 1.0.0 is published.");
});

it("stops where the registry has the version with other contents", async () => {
  const to = registry();
  to.there.set("@tryon/hat@1.0.0", "sha512-other");
  const { complete, text } = await run(to);
  expect({ complete, sent: to.sent }).toEqual({ complete: false, sent: [] });
  expect(text).toContain("other contents");
});

it("asks for provenance unless it is told not to", () => {
  expect(publishArguments("a.tgz", true)).toEqual([
    "publish",
    "a.tgz",
    "--access",
    "public",
    "--provenance",
  ]);
  expect(publishArguments("a.tgz", false)).toEqual(["publish", "a.tgz", "--access", "public"]);
});

it("announces each package under a tag of its own, once", async () => {
  const calls: (readonly string[])[] = [];
  const github = async (args: readonly string[]) => {
    calls.push(args);
    if (args[1] === "view" && args[2] !== "@tryon/hat@1.0.0") throw new Error("release not found");
  };
  await announce(release, github, () => undefined);
  expect(calls.filter(([, verb]) => verb === "create").map(([, , tag]) => tag)).toEqual([
    "@tryon/coat@1.0.0",
    "@tryon/shoe@1.0.0",
  ]);
  expect(calls.at(-1)?.join(" ")).toContain("--notes About shoe. --target c0ffee");
});
