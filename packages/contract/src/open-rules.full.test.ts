import { createMock } from "@tryon/mock";
import { expect, test } from "vitest";

import { runContract } from "./contract.ts";
import {
  isList,
  isSubmit,
  refusal,
  tampered,
  type Tamper,
} from "../test/mutants/mutated-responses.ts";
import { command } from "../test/command.ts";
import { failures } from "../test/run-checks.ts";

const other: Tamper = async (request) => {
  const { url, body, method, path, send } = request;
  if (isList(request)) {
    const limit = Number(url.searchParams.get("limit") ?? 20);
    if (limit < 1 || limit > 100) {
      const clamped = new URL(url);
      clamped.searchParams.set("limit", limit < 1 ? "1" : "100");
      return send({ url: clamped });
    }
    const response = await send();
    const isUnknown = response.status === 400 && url.searchParams.has("cursor");
    return isUnknown ? Response.json({ jobs: [], next_cursor: null }) : response;
  }
  if (isSubmit(request) && body["seed"] === -1) {
    const response = await send();
    return response.status === 422 ? refusal(400, "seed is negative") : response;
  }
  if (path === "/api/v1/credits/purchase" && body["pack_slug"] === "no-such-pack") {
    const detail = [{ loc: ["body", "pack_slug"], msg: "Unknown pack", type: "enum" }];
    const response = await send();
    return response.status === 400 ? Response.json({ detail }, { status: 422 }) : response;
  }
  // It has no CORS, and knows only its own methods.
  if (method === "OPTIONS" || method === "HEAD") {
    const { status, headers } = Response.json({}, { status: 404 });
    const text = method === "HEAD" ? null : JSON.stringify({ detail: "Not Found" });
    return new Response(text, { status, headers });
  }
  return send();
};

test("passes a deployment that differs at open points with exit code 0, and reports each difference", async () => {
  const mock = createMock({ clock: "manual", seed: "open" });
  const { baseUrl } = mock;
  const fetch = tampered(mock, other);
  const argv = ["--base-url", baseUrl, "--level", "full"];
  const { code, stdout } = await command([...argv, "--report", "json"], { fetch });
  const { summary, checks } = JSON.parse(stdout) as {
    readonly summary: { readonly failed: number; readonly differing: number };
    readonly checks: readonly { id: string; status: string; message: string | null }[];
  };
  const failed = checks.filter(({ status }) => status === "failed");
  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
  expect(code).toBe(0);
  const differing = checks.filter(
    ({ status, message }) => status === "observed" && message !== null,
  );
  expect(differing.map(({ id }) => id)).toEqual(
    expect.arrayContaining([
      "urls.head",
      "cross-origin.preflight",
      "refusals.form-is-422",
      "list-query.limit",
      "list-query.cursor.unknown",
    ]),
  );
  expect(summary).toMatchObject({ failed: 0, differing: differing.length });
  const only = ["--only", "list-query.", "--only", "urls."];
  const { stdout: text } = await command([...argv, ...only], { fetch });
  expect(text).toContain("Differs: the contract leaves this open");
  expect(text).toContain("  list-query.limit\n");
  const { stdout: xml } = await command([...argv, ...only, "--report", "junit"], { fetch });
  expect(xml).toMatch(/list-query\.limit.*\n<system-out>Expected 422/);
  const { stdout: page } = await command([...argv, ...only, "--report", "html"], { fetch });
  expect(page).toContain('<details class="observed" data-status="observed" id="list-query.limit">');
  expect(failures(await runContract({ baseUrl, fetch, only: ["urls."] }))).toBe("");
  mock.close();
}, 180_000);
