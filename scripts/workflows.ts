import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { root } from "@tryon/test-kit/repository";
import { filesIn } from "./words.ts";

/** A workflow or a part of one: of this repository, of an example, or on a page. */
export interface Workflow {
  /** File, and for code on a page its number. */
  readonly place: string;
  readonly text: string;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Image {
  readonly image?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly container?: string | Image;
  readonly services?: Readonly<Record<string, Image>>;
  readonly steps?: readonly Step[];
  readonly uses?: string;
  readonly "timeout-minutes"?: number;
}
interface Content extends Pick<Job, "permissions"> {
  readonly jobs?: Readonly<Record<string, Job>>;
  readonly runs?: Job & Image;
}

function readText(place: string): Workflow {
  return { place, text: readFileSync(join(root, place), "utf8") };
}

/** Reads all workflows and actions: files, and YAML of pages that does not embed a file. */
export function readWorkflows(): readonly Workflow[] {
  const files = filesIn("*.yml", "*.yaml").map(readText);
  const parts = filesIn("*.md").flatMap((page) =>
    [...readText(page).text.matchAll(/^```ya?ml\n([^]*?)^```$/gm)].map(([, text = ""], index) => ({
      place: `${page}: ${index + 1}`,
      text,
    })),
  );
  return [...files, ...parts].filter(({ text }) => /^(?:jobs|runs):$|^- (?:uses|run):/m.test(text));
}

/** Returns the jobs of a workflow with their names and permissions, or the steps of an action or a list as one job. */
export function jobsOf(text: string): ReadonlyArray<readonly [name: string, job: Job]> {
  // The linter and the tests of the examples check the form.
  const content = parse(text) as Content | readonly Step[];
  if (Array.isArray(content)) return [["steps", { steps: content, permissions: {} }]];
  const { jobs = {}, runs, permissions = { all: "write" } } = content as Content;
  if (runs) return [["runs", { ...runs, container: runs.image ?? "", permissions: {} }]];
  return Object.entries(jobs).map(([name, job]) => [name, { permissions, ...job }]);
}

/** Returns what others could change or read: code without a digest, a token on disk, text in a script. */
export function findRisks({ text }: Workflow): readonly string[] {
  const uses = text.match(/\buses: (?!\.\/).*/g) ?? [];
  const open = uses.filter((line) => !/^uses: [\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line));
  const risks = jobsOf(text).flatMap(([name, { container = "", services = {}, steps = [] }]) => {
    const images = [container, ...Object.values(services)]
      .map((image) => (typeof image === "string" ? image : (image.image ?? "")))
      .filter((image) => image !== "" && !/@sha256:[\da-f]{64}$/.test(image));
    const tokens = steps.filter(
      ({ uses: action = "", with: inputs }) =>
        action.startsWith("actions/checkout@") && inputs?.["persist-credentials"] !== false,
    );
    const scripts = steps.flatMap(
      ({ run = "" }) => run.match(/\$\{\{(?! matrix\.)[^}]*\}\}/g) ?? [],
    );
    return [
      ...images.map((image) => `${name}: image ${image} without a digest`),
      ...tokens.map(() => `${name}: checkout that keeps its token`),
      ...scripts.map((value) => `${name}: ${value} in a script`),
    ];
  });
  return [...open.map((line) => `${line} without a commit and its version`), ...risks];
}
