// Records with newman and its reporter for JSON. A collection has no loops but those of its scripts.
import { join } from "node:path";

import newman from "newman";

import { given, output } from "./given.mjs";

const { baseUrl, key, limitedKey, person, garment } = given();
const [order, other] = [crypto.randomUUID(), crypto.randomUUID()];
const tryOn = "/api/v1/tryon";
const submission = { person_image_b64: person, garment_images_b64: [garment] };
const paid = { ...submission, output_size: "2K", wait: true };
const slow = { ...submission, prompt: "mock:slow=5000", wait: true };

const item = (name, method, path, fields, { own = key, id, script } = {}) => ({
  name,
  request: {
    method,
    url: path.startsWith("{{") ? path : `{{url}}${path}`,
    header: [
      ...(own === null ? [] : [{ key: "Authorization", value: `Bearer ${own}` }]),
      ...(fields === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
      ...(id === undefined ? [] : [{ key: "Idempotency-Key", value: id }]),
    ],
    ...(fields !== undefined && {
      body: { mode: "raw", raw: typeof fields === "string" ? fields : JSON.stringify(fields) },
    }),
  },
  ...(script && { event: [{ listen: "test", script: { exec: script } }] }),
});

const collection = {
  info: { name: "try-on", schema: "https://schema.getpostman.com/json/collection/v2.1.0/" },
  variable: [{ key: "url", value: baseUrl }],
  item: [
    item("discovery", "GET", "/api/discovery", undefined, { own: null }),
    item("account", "GET", "/api/v1/account"),
    item("submit", "POST", tryOn, paid, { id: order }),
    item("repeat", "POST", tryOn, paid, { id: order }),
    item("invalid", "POST", tryOn, { ...submission, seed: -1 }),
    item("malformed", "POST", tryOn, "{"),
    item("limit", "GET", `${tryOn}?limit=0`),
    item("cursor", "GET", `${tryOn}?cursor=nowhere`),
    ...[1, 2, 3].map((call) =>
      item(`limited ${call}`, "GET", "/api/v1/account", undefined, { own: limitedKey }),
    ),
    item(
      "start",
      "POST",
      tryOn,
      { ...submission, wait: false },
      {
        script: ["pm.collectionVariables.set('job', pm.response.json().job_id);"],
      },
    ),
    item("poll", "GET", `${tryOn}/{{job}}`, undefined, {
      script: [
        "const { status, result_url: image } = pm.response.json();",
        "pm.collectionVariables.set('image', image);",
        "setTimeout(() => undefined, 250);",
        "if (status !== 'succeeded') postman.setNextRequest('poll');",
      ],
    }),
    item("image", "GET", "{{image}}", undefined, { own: null }),
    item("slow", "POST", tryOn, slow, { id: other }),
    item("account again", "GET", "/api/v1/account"),
  ],
};

const file = join(output, "newman.json");
await new Promise((resolve, reject) => {
  newman.run(
    {
      collection,
      reporters: ["json"],
      timeoutRequest: 3_000,
      reporter: { json: { export: file } },
    },
    (error) => (error ? reject(error) : resolve()),
  );
});
