import { createMock } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { areOpen } from "./check.ts";
import { allChecks } from "./checks/index.ts";
import { runContract } from "./contract.ts";
import { tampered, type Tamper } from "../test/mutants/mutated-responses.ts";

const open = allChecks.filter(({ rules }) => areOpen(rules)).map(({ id }) => id);

function behind(tamper: Tamper) {
  const mock = createMock({ clock: "manual", seed: "open" });
  return { mock, baseUrl: mock.baseUrl, fetch: tampered(mock, tamper) };
}

const isControl = (path: string): boolean =>
  path.startsWith("/__mock") || path === "/api/v1/account";

const strange: Readonly<Record<string, () => Response>> = {
  "with an empty object": () => Response.json({}),
  "with 418": () => new Response("teapot", { status: 418 }),
  "with 200 and a page": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  "without responding": () => {
    throw new TypeError("fetch failed");
  },
};

describe("checks that rest on open rules alone", () => {
  test.each(Object.entries(strange))(
    "never fail a server that responds %s",
    async (_name, make) => {
      const { mock, ...target } = behind(({ path, send }) =>
        isControl(path) ? send() : Promise.resolve().then(make),
      );
      const { checks } = await runContract({ ...target, level: "full", only: open });
      const found = checks.filter(({ id }) => open.includes(id));
      expect(found).toHaveLength(open.length);
      expect(found.filter(({ status }) => status === "failed" || status === "passed")).toEqual([]);
      expect(found.some(({ message, status }) => status === "observed" && message)).toBe(true);
      mock.close();
    },
  );

  test("are observed without a difference where the server is the reference", async () => {
    const mock = createMock({ clock: "manual", seed: "open" });
    const { checks } = await runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, only: open });
    const found = checks.filter(({ status }) => status === "observed");
    expect(found.length).toBeGreaterThan(30);
    expect(found.map(({ message }) => message).filter((message) => message !== undefined)).toEqual(
      [],
    );
    mock.close();
  });
});
