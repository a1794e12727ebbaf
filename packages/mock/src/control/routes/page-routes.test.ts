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
  test("is one HTML document that loads nothing from other origins", async () => {
    const response = await openPage();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const origins = (await response.text()).match(/https?:\/\/[\w.-]+/g) ?? [];
    // Names of XML namespaces and the placeholder of the form load nothing.
    expect(new Set(origins)).toEqual(new Set(["http://www.w3.org", "http://localhost"]));
  });

  test("allows only its own style and script", async () => {
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

  test("redirects a URL without the slash at its end", async () => {
    const response = await openPage("/__mock");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/__mock/");
  });

  test("opens by a link on another site, which cannot read its state", async () => {
    const crossSite = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await openPage("/__mock/", crossSite)).status).toBe(200);
    expect((await openPage("/__mock/state", crossSite)).status).toBe(403);
    expect((await openPage("/__mock/images/job_1.png", crossSite)).status).toBe(403);
  });
});

describe("the image of a job", () => {
  test("is available until the result is deleted, even after its signed URL expires", async () => {
    const { mock, submitted, get, resultOf } = withFaults();
    const id = await submitted();
    const image = () => get(`/__mock/images/${id}.png`);
    expect((await image()).status).toBe(404);
    await mock.clock.advance("2s");
    const url = await resultOf(id);
    const original = await (await mock.fetch(url)).bytes();
    await mock.clock.advance(2 * dayInMilliseconds);
    expect((await mock.fetch(url)).status).toBe(403);
    const later = await image();
    expect(later.headers.get("content-type")).toBe("image/png");
    expect(await later.bytes()).toEqual(original);
    await mock.clock.advance(30 * dayInMilliseconds);
    expect((await image()).status).toBe(404);
  });

  test.each(["job_none.png", "job_none", "..%2Fstate.png"])(
    "does not exist at %s",
    async (file) => {
      const response = await openPage(`/__mock/images/${file}`);
      expect(response.status).toBe(404);
    },
  );
});
