import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { openapi, schemaNamed } from "@tryon/spec/openapi-document";
import { cases } from "@tryon/test-kit/cases";
import { boundaryValues } from "../../test/boundary-values.ts";
import {
  accepts,
  bodies,
  differencesAtBounds,
  fieldsWithBounds,
  isSmall,
  propertiesOf,
  server,
  type Body,
} from "../../test/contract-agreement.ts";
import { covers } from "../../test/covers.ts";
import { pixel } from "../../test/images.ts";

describe.each(bodies)("the server and the contract's $name", (body) => {
  const { name, path, base } = body;
  const schema = schemaNamed(name);
  const valid = accepts(schema);

  test.each(fieldsWithBounds(schemaNamed(name), "small"))(
    "agree at every bound of %s",
    async (property) => {
      covers(
        "request.person-url.max-length",
        "request.garment-urls.max-items",
        "request.garment-images-b64.max-items",
        "request.prompt.max-length",
        "request.style-hint.max-length",
        "request.negative-prompt.max-length",
        "request.webhook-url.max-length",
        "request.seed.range",
      );
      expect(await differencesAtBounds(body, property)).toEqual([]);
    },
  );

  test("agree on random bodies of such values", async () => {
    const send = server(path);
    const field = fc.oneof(
      ...Object.entries(propertiesOf(schema)).map(([property, of]) =>
        fc.tuple(
          fc.constant(property),
          fc.oneof(
            { weight: 3, arbitrary: fc.constantFrom(...boundaryValues(of).filter(isSmall)) },
            // Not deeper: a schema cannot state the limit of the JSON text in metadata.
            { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
          ),
        ),
      ),
    );
    // With more fields, nearly every body would be invalid.
    const someFields = fc.array(field, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(someFields, async (fields) => {
        const made: Body = { ...base, ...Object.fromEntries(fields) };
        expect((await send(made)) !== 422).toBe(valid(JSON.parse(JSON.stringify(made))));
      }),
      { numRuns: cases(1_000, 25) },
    );
  });
});

test("each submission that the server accepts is valid under the contract", async () => {
  const schema = schemaNamed("TryOnRequest");
  // In OpenAPI 3.1, `format` does not validate.
  const valid = new Ajv2020({ strict: false, validateFormats: false }).compile({
    ...schema,
    components: openapi.components,
  });
  const https = "https://a.example/1";
  const url = fc.constantFrom(https, "HTTPS://a.example", "http://nowhere", "", null);
  const urls = fc.array(fc.constantFrom(https, https, "http://nowhere"), { maxLength: 2 });
  const names = Object.keys(propertiesOf(schema));
  const sources = fc.record(
    {
      ...Object.fromEntries(
        ["person_url", "person", "model_url", "input_url"].map((name) => [name, url]),
      ),
      ...Object.fromEntries(
        ["garment_urls", "garments", "clothing", "items"].map((name) => [name, urls]),
      ),
      person_image_b64: fc.constantFrom(pixel, "", null),
      garment_images_b64: fc.constantFrom([pixel], []),
    },
    { requiredKeys: [] },
  );
  const other = fc.constantFrom(...names, "campaign").chain((name) =>
    fc.record({
      [name]: fc.constantFrom(...boundaryValues(propertiesOf(schema)[name] ?? {}).filter(isSmall)),
    }),
  );
  const body = fc.tuple(sources, other).map((parts): Body => Object.assign({}, ...parts));
  let send = server("/api/v1/tryon");
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(body, async (submission) => {
      const status = await send(submission);
      // The credits of a server last for about a hundred try-ons.
      if (status === 402) send = server("/api/v1/tryon");
      if (status !== 200) return;
      accepted += 1;
      expect(valid(JSON.parse(JSON.stringify(submission))), JSON.stringify(valid.errors)).toBe(
        true,
      );
    }),
    { numRuns: cases(1_000, 20) },
  );
  expect(accepted).toBeGreaterThan(5);
});
