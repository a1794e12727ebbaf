import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { describe, expect, it } from "vitest";

import { root } from "@tryon/test-kit/repository";
import manifest from "../package.json" with { type: "json" };
import { findRisks, jobsOf, readWorkflows } from "./workflows.ts";

const workflows = readWorkflows();
const own = workflows.filter(({ place }) => place.startsWith(".github/"));
const all = own.map(({ text }) => text).join("\n");

describe("workflows of the repository, of examples and of pages", () => {
  it("pin code of others, keep no token and put no text into a script", () => {
    expect(workflows.map(({ place }) => place)).toEqual(
      expect.arrayContaining([
        ".github/actions/services/action.yml",
        ".github/workflows/ci.yml",
        "examples/ci/replay.yml",
        "packages/contract/README.md: 1",
        "packages/contract/README.md: 2",
      ]),
    );
    const risks = workflows.flatMap((workflow) =>
      findRisks(workflow).map((risk) => `${workflow.place}: ${risk}`),
    );
    // It pushes the branch of the release.
    const accepted = ".github/workflows/release.yml: version: checkout that keeps its token";
    expect(risks).toEqual([accepted]);
  });

  it("use one version of each action", () => {
    const pins = workflows.flatMap(({ text }) => text.match(/\buses: [a-z].*@.*/g) ?? []);
    const actions = [...new Set(pins)].map((pin) => pin.replace(/^uses: |@.*/g, ""));
    expect(actions).toEqual([...new Set(actions)]);
  });

  it("limit the time of every job, and give only these jobs write permissions", () => {
    const writing: string[] = [];
    for (const { place, text } of workflows) {
      for (const [name, { permissions = {}, uses, ...job }] of jobsOf(text)) {
        const isPart = name === "steps" || name === "runs";
        expect(isPart || uses || job["timeout-minutes"], `${place}: ${name}`).toBeTruthy();
        for (const [scope, level] of Object.entries(permissions))
          if (level === "write") writing.push(`${basename(place)}: ${name}: ${scope}`);
      }
    }
    expect(writing).toEqual([
      "nightly.yml: report: issues",
      "release.yml: version: contents",
      "release.yml: version: pull-requests",
      "release.yml: publish: contents",
      "release.yml: publish: id-token",
      "replay.yml: replay: issues",
    ]);
  });
});

it.each([
  ["an action by its tag", "steps: [{ uses: a/b@v1 }]"],
  ["an action without its version", `steps:\n      - uses: a/b@${"0".repeat(40)}`],
  ["an action that is an image", "steps: [{ uses: 'docker://alpine:3' }]"],
  ["a container by its tag", "container: node:24-bookworm"],
  ["a container with settings", "container: { image: node:24 }"],
  ["a service by its tag", "services: { store: { image: redis:8 } }"],
  [
    "a checkout that keeps its token",
    `steps:\n      - uses: actions/checkout@${"0".repeat(40)} # v7.0.1`,
  ],
  ["text of others in a script", "steps: [{ run: 'echo ${{ github.head_ref }}' }]"],
])("finds %s", (_what, job) => {
  expect(findRisks({ place: "", text: `jobs:\n  job:\n    ${job}\n` })).toHaveLength(1);
});

it("accepts a container with a digest", () => {
  const text = `jobs: { job: { container: "node@sha256:${"0".repeat(64)}" } }`;
  expect(findRisks({ place: "", text })).toEqual([]);
});

it("runs only scripts of the repository with its version of Node, and uses no secret", () => {
  const named = [...all.matchAll(/\bnpm (?:run ([\w:]+)|test)/g)].map(([, name = "test"]) => name);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
  expect(all).not.toContain("secrets.");
  const run = readFileSync(join(root, "scripts/run.mjs"), "utf8");
  const [, node] = /--package=node@([\d.]+)"/.exec(run) ?? [];
  const versions = [...all.matchAll(/\bnode-version: (.*)/g)].map(([, version]) => version);
  expect(new Set(versions)).toEqual(new Set([node]));
});
