import { expect, test } from "vitest";

import { goodReport, sampleReport } from "../../test/sample-report.ts";
import { htmlReport } from "./html.ts";

const page = htmlReport(sampleReport);

test("the page is by itself: it names nothing to load, and its policy lets nothing in", () => {
  expect(page).toContain("default-src 'none'; style-src 'sha256-");
  const loading = /<(?:link|script|img|iframe|object)[^>]*(?:src|href)="([^"]*)"/g;
  expect([...page.matchAll(loading)].map(([, address]) => address)).toEqual(["data:,"]);
  expect(page).not.toMatch(/url\(|@import|<[^>]+ style=|<[^>]+ on\w+=/);
});

test("the page shows what a deployment said and never runs it", () => {
  expect(page).not.toContain("<img");
  expect(page).toContain("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;");
  expect(page.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
});

test("the page opens with the verdict, and has what is broken open", () => {
  expect(page).toContain("<h1>The contract is broken in 2 points.</h1>");
  expect([...page.matchAll(/<details class="broken"[^>]* open>/g)]).toHaveLength(2);
  expect(page).toContain("--webhook-port of this machine.");
  expect(htmlReport(goodReport)).toContain('<header class="good">');
  expect(htmlReport({ ...goodReport, complete: false })).toContain('<header class="open">');
});
