import { describe, expect, it } from "vitest";

import { withoutUserTag } from "./convert-response.ts";
import { filterFields } from "./filter-fields.ts";
import type { ProxyOptions } from "./options.ts";
import { resolveOptions } from "./resolve-options.ts";

const posted = { person_url: "a", garment_urls: ["b"] };
const filter = (fields: Readonly<Record<string, unknown>>, options?: Partial<ProxyOptions>) =>
  filterFields(fields, resolveOptions({ authorize: async () => ({ id: "ada" }), ...options }));

describe("filterFields", () => {
  it.each<[object, object, Partial<ProxyOptions>?]>([
    [{}, {}],
    [
      { prompt: "red", seed: 7, person_image_b64: "c" },
      { prompt: "red", seed: 7, person_image_b64: "c" },
    ],
    [{ prompt: "", seed: null, webhook_url: null, style_hint: [] }, {}],
    [{ person: "c", garments: ["d"] }, {}],
    [{ person_url: "", person: "c" }, { person_url: "c" }],
    [{ garment_urls: [], garments: ["d"], items: ["e"] }, { garment_urls: ["d"] }],
    [{ garment_urls: null, items: ["e", "f"] }, { garment_urls: ["e", "f"] }],
    [{ mode: "sync" }, { wait: true }],
    [{ wait: false, mode: "sync" }, { wait: false }],
    [{ wait: null }, {}],
    [{ mode: "async" }, { wait: false }],
    [{ mode: "SYNC" }, {}],
    [{ mode: "constructor" }, {}],
    [{ mode: { toString: 1 } }, {}],
    [{ mode: ["sync"] }, {}],
    [{ mode: 1 }, {}],
    [{ wait: true }, { wait: false }, { sync: false }],
    [{ size: "4k" }, { output_size: "4K" }, { sizes: ["2K", "4K"] }],
    [{ output_size: "" }, { output_size: "2K" }, { sizes: ["2K", "4K"] }],
  ])("forwards %j as %j with %j", (own, fields, options) => {
    const expected = { ...posted, output_size: "1K", ...fields };
    expect(filter({ ...posted, ...own }, options)).toEqual(expected);
  });

  it.each([
    [{ order: 7, _tryon_user: "eve" }, { order: 7 }],
    [{ _tryon_user: "eve" }, null],
    [{}, {}],
  ])("forwards the metadata %j as %j", (metadata, forwarded) => {
    const options = { fields: ["person_url", "garment_urls", "metadata"] };
    expect(filter({ ...posted, metadata }, options)).toHaveProperty("metadata", forwarded);
  });

  it.each<[object, string, string, Partial<ProxyOptions>?]>([
    [{ webhook_url: "c" }, "webhook_url", "extra_forbidden"],
    [{ metadata: { a: "b" } }, "metadata", "extra_forbidden"],
    [{ SIZE: "1K" }, "SIZE", "extra_forbidden"],
    [{ Output_Size: "4K" }, "Output_Size", "extra_forbidden"],
    [{ " output_size": "4K" }, " output_size", "extra_forbidden"],
    [{ "output_size\u0000": "4K" }, "output_size\u0000", "extra_forbidden"],
    [{ constructor: { prototype: 1 } }, "constructor", "extra_forbidden"],
    [{ ["__proto__"]: { webhook_url: "c" } }, "__proto__", "extra_forbidden"],
    [{ ["x".repeat(70)]: 1 }, "x".repeat(60), "extra_forbidden"],
    [
      { garment_urls: null, garments: ["b"] },
      "garment_urls",
      "extra_forbidden",
      { fields: ["person_url"] },
    ],
    [{ prompt: { a: 1 } }, "prompt", "value_type"],
    [{ garment_urls: ["b", ["c"]] }, "garment_urls", "value_type"],
    [{ person_url: [{ output_size: "4K" }] }, "person_url", "value_type"],
    [{ metadata: "c" }, "metadata", "value_type", { fields: [...Object.keys(posted), "metadata"] }],
    [{ metadata: [1] }, "metadata", "value_type", { fields: [...Object.keys(posted), "metadata"] }],
    [{ output_size: "2K" }, "output_size", "enum"],
    [{ size: "4k" }, "output_size", "enum"],
    [{ resolution: "2k" }, "output_size", "enum"],
    [{ output_size: null, resolution: "", size: "4K" }, "output_size", "enum"],
    [{ size: ["1K"] }, "output_size", "enum"],
    [{ output_size: { toString: "4K" } }, "output_size", "enum"],
    [{ output_size: 4 }, "output_size", "enum"],
    [{ output_size: "1K " }, "output_size", "enum"],
    [{ wait: "true" }, "wait", "bool_type"],
  ])("rejects %j because of %s: %s", async (own, name, type, options) => {
    const response = filter({ ...posted, ...own }, options);
    if (!(response instanceof Response)) throw new Error("The fields are allowed.");
    expect(response.status).toBe(422);
    const msg = expect.stringMatching(/\w/) as unknown;
    expect(await response.json()).toEqual({ detail: [{ loc: ["body", name], msg, type }] });
  });

  it("names up to 20 fields", async () => {
    const names = Array.from({ length: 21 }, (_, index) => [`field${index}`, 1] as const);
    const response = filter(Object.fromEntries(names));
    if (!(response instanceof Response)) throw new Error("The fields are allowed.");
    expect(await response.json()).toMatchObject({ detail: { length: 20 } });
  });
});

it.each([null, undefined, "text"])("withoutUserTag returns %j as it is", (metadata) => {
  expect(withoutUserTag(metadata)).toBe(metadata);
});
