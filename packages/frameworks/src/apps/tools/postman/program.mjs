import { readFileSync } from "node:fs";
import newman from "newman";

const place = (name) => new URL(name, import.meta.url);

export function createCalls(baseUrl, apiKey) {
  const collection = JSON.parse(readFileSync(place("collection.json"), "utf8"));
  const envVar = [
    { key: "baseUrl", value: baseUrl },
    { key: "bearerToken", value: apiKey },
  ];
  return {
    submit: () =>
      new Promise((resolve, reject) => {
        // The folder has one request, with the key of the example.
        newman.run({ collection, envVar, folder: "Submit a try-on" }, (error, summary) => {
          if (error) reject(error);
          else resolve(summary.run.executions[0].response.json());
        });
      }),
  };
}
