import { createHash } from "node:crypto";

import { describe, expect, test } from "vitest";

import { createMock } from "../../mock.ts";
import { withFaults } from "../../../test/with-faults.ts";

const dayInMilliseconds = 86_400_000;

async function openPage(path = "/__mock/", headers: Record<string, string> = {}) {
  const mock = createMock();
  return mock.fetch(`${mock.baseUrl}${path}`, { headers });
}

describe("the control page", () => {
  test("is one text of HTML that names no other address", async () => {
    const response = await openPage();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const addresses = (await response.text()).match(/https?:\/\/[\w.-]+/g) ?? [];
    // The names of the SVG namespace and of the form's example are addresses that nothing is loaded from.
    expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org", "http://localhost"]));
  });

  test("may run its own style and script, and nothing else", async () => {
    const response = await openPage();
    const text = await response.text();
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const tag of ["style", "script"]) {
      const [, content = ""] = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(text) ?? [];
      const digest = createHash("sha256").update(content).digest("base64");
      expect(policy.split("; ")).toContain(`${tag}-src 'sha256-${digest}'`);
      expect(text.split(`<${tag}`)).toHaveLength(2);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
  });

  test("is found without the slash at its end, too", async () => {
    const response = await openPage("/__mock");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/__mock/");
  });

  test("may be opened by a link from elsewhere, while its state stays its own", async () => {
    const foreign = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await openPage("/__mock/", foreign)).status).toBe(200);
    expect((await openPage("/__mock/state", foreign)).status).toBe(403);
    expect((await openPage("/__mock/images/job_1.png", foreign)).status).toBe(403);
  });
});

describe("the image of a job", () => {
  test("is the bytes of its result as long as they are kept, whatever becomes of their address", async () => {
    const { mock, submit, get } = withFaults();
    // A submission that is taken has a job_id.
    const { job_id: id } = (await (await submit()).json()) as { job_id: string };
    const image = () => get(`/__mock/images/${id}.png`);
    expect((await image()).status).toBe(404);
    await mock.clock.advance("2s");
    // The job has ended, so it has an address.
    const { result_url: address } = (await (await get(`/api/v1/tryon/${id}`)).json()) as {
      result_url: string;
    };
    const original = await (await mock.fetch(address)).bytes();
    await mock.clock.advance(2 * dayInMilliseconds);
    expect((await mock.fetch(address)).status).toBe(403);
    const shown = await image();
    expect(shown.headers.get("content-type")).toBe("image/png");
    expect(await shown.bytes()).toEqual(original);
    await mock.clock.advance(30 * dayInMilliseconds);
    expect((await image()).status).toBe(404);
  });

  test.each(["job_none.png", "job_none", "..%2Fstate.png"])("is not found at %s", async (file) => {
    const response = await openPage(`/__mock/images/${file}`);
    expect(response.status).toBe(404);
  });
});
