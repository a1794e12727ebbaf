const input = "openapi.json";
const baseUrl = process.env.TRYON_BASE_URL;

export default {
  client: { input, output: { target: "client.ts", client: "fetch", baseUrl } },
  zod: { input, output: { target: "zod.ts", client: "zod" } },
};
