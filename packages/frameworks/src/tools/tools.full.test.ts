import { installing } from "@tryon/test-kit/app-folder";
import { expect, it } from "vitest";

import { runTool } from "./run-tool.ts";
import { tools } from "./tools.ts";
import { resultOf } from "./tools-page.ts";

it.each(tools.filter(({ isPinned }) => isPinned))(
  "$title with the versions of the page gives the results of the page",
  async (tool) => {
    const result = resultOf(tool);
    expect(await runTool(tool, result?.versions)).toEqual(result);
  },
  installing,
);
