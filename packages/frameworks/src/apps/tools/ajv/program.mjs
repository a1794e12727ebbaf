import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

const { components } = JSON.parse(readFileSync(new URL("openapi.json", import.meta.url), "utf8"));
const ajv = new Ajv2020({ strict: false, useDefaults: true });
formats.default(ajv);
const validate = ajv.compile({ ...components.schemas.TryOnRequest, components });

export function createCalls(baseUrl, apiKey) {
  return {
    async submit(key) {
      const body = {
        person_url: "https://shop.example/ada.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        size: "4K",
        mode: "async",
        metadata: { sku: "LS-204" },
      };
      if (validate({})) throw new Error("An empty body is valid.");
      // Adds the defaults of the schema to the body.
      if (!validate(body)) throw new Error(ajv.errorsText(validate.errors));
      const headers = {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${baseUrl}/api/v1/tryon`, init)).json();
    },
  };
}
