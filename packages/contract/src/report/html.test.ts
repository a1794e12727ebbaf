import { expect, test } from "vitest";

import { goodReport, sampleReport } from "../../test/sample-report.ts";
import { formatReport } from "./index.ts";

const page = formatReport(sampleReport, "html");

test("loads nothing, and its policy forbids loading", () => {
  expect(page).toContain("default-src 'none'; style-src 'sha256-");
  const loading = /<(?:link|script|img|iframe|object)[^>]*(?:src|href)="([^"]*)"/g;
  expect([...page.matchAll(loading)].map(([, url]) => url)).toEqual(["data:,"]);
  expect(page).not.toMatch(/url\(|@import|<[^>]+ style=|<[^>]+ on\w+=/);
});

test("shows text of a deployment without running it", () => {
  expect(page).not.toContain("<img");
  expect(page).toContain("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  expect(page.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
});

test("starts with the verdict, and opens the failed checks", () => {
  expect(page).toContain("<h1>The deployment fails 2 checks.</h1>");
  expect([...page.matchAll(/<details class="failed"[^>]* open>/g)]).toHaveLength(2);
  expect(page).toContain("--webhook-port of this machine.");
  expect(formatReport(goodReport, "html")).toContain('<header class="good">');
  expect(formatReport({ ...goodReport, complete: false }, "html")).toContain(
    '<header class="open">',
  );
});
