import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";

import { limits } from "@tryon/mock/service/catalogue";
import { expect, it } from "vitest";

import { tableOf } from "./page-table.ts";

const read = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), "utf8");
const page = await read("service.md");
const spec = join(root, "spec");

const number = (value: number): string => value.toLocaleString("en-US");
const seconds = (milliseconds: number): string => `${milliseconds / 1_000} s`;
const hours = (milliseconds: number): number => milliseconds / 3_600_000;

it("has the limits of the reference server", () => {
  const rows = tableOf(page, "what", "limit");
  const { least, most } = limits.paymentTokenCharacters;
  const [first, second, third] = limits.webhookRetryDelays;
  const retries = limits.webhookRetryDelays.length;
  expect(Object.fromEntries(rows.map(([what, limit]) => [what, limit]))).toEqual({
    "garments of a try-on": `1 to ${limits.garments}, URLs and base64 images together`,
    "`person_url`, `webhook_url`": `${number(limits.urlCharacters)} characters`,
    "`person_image_b64`": `${number(limits.imageBase64Characters)} characters, which hold ${number(limits.imageBytes)} bytes`,
    "each of `garment_images_b64`": "about 10 MB",
    "`prompt`": `${number(limits.promptCharacters)} characters`,
    "`style_hint`, `negative_prompt`": `${number(limits.hintCharacters)} characters`,
    "`metadata`": `${limits.metadataKeys} keys, ${limits.metadataCharacters} characters each`,
    "`seed`": `0 to ${number(limits.maxSeed)}`,
    "`Idempotency-Key`": `${limits.idempotencyKeyCharacters} characters`,
    "`shared_payment_granted_token`": `${least} to ${most} characters`,
    "synchronous wait": seconds(limits.syncWait),
    "page of the list": `${limits.defaultPage} jobs by default`,
    "result URL": `${hours(limits.resultUrlValidity)} h; each poll returns a new one`,
    "result image": `${hours(limits.resultRetention) / 24} days`,
    webhook: `${seconds(limits.webhookResponse)} to respond, and up to ${retries} retries, after ${first / 1_000}, ${second / 1_000} and ${seconds(third)}`,
    "test keys": "1 per account",
  });
});

it("lists every call of the contract", async () => {
  const { paths }: { paths: Record<string, object> } = JSON.parse(
    await readFile(join(spec, "openapi.json"), "utf8"),
  );
  const calls = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/") && !path.endsWith(".json"))
    .flatMap(([path, item]) =>
      ["get", "post"].filter((method) => method in item).map((method) => [method, path]),
    )
    .map(([method = "", path]) => `\`${method.toUpperCase()} ${path}\``);
  expect(tableOf(page, "call").map(([call]) => call)).toEqual(expect.arrayContaining(calls));
  expect(tableOf(page, "call")).toHaveLength(calls.length);
});

it("states every rule that no program can test, on one of the pages about the service", async () => {
  const { rules }: { rules: readonly { id: string; shown_by: readonly string[] }[] } = JSON.parse(
    await readFile(join(spec, "rules.json"), "utf8"),
  );
  const pages = [page, await read("pricing-and-credits.md"), await read("data-and-privacy.md")];
  const stated = [...pages.join("\n").matchAll(/<!-- rule: (\S+) -->/g)].map(([, id]) => id);
  const expected = rules.filter(({ shown_by }) => shown_by.includes("docs")).map(({ id }) => id);
  expect(new Set(stated)).toEqual(new Set(expected));
});
