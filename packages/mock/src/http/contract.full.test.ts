import { describe, expect, test } from "vitest";

import { schemaNamed } from "@tryon/spec/openapi-document";
import { bodies, differencesAtBounds, fieldsWithBounds } from "../../test/contract-agreement.ts";

describe.each(bodies)("the server and the contract's $name", (body) => {
  test.each(fieldsWithBounds(schemaNamed(body.name), "image"))(
    "agree at every bound of %s",
    async (property) => {
      expect(await differencesAtBounds(body, property)).toEqual([]);
    },
  );
});
