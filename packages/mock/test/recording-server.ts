import type { Engine, RenderRequest } from "../src/engine/engine.ts";
import { stockEngine } from "../src/engine/stock.ts";
import { manualServer, type ClientResponse } from "./caller.ts";

/** Returns a request for a stock image. */
export function renderRequest(fields: Partial<RenderRequest> = {}): RenderRequest {
  const image = { field: "person_url", source: "url", url: "https://a.example/p.png" } as const;
  return {
    person: image,
    garments: [image],
    instruction: "",
    seed: null,
    fingerprint: "00000001",
    width: 768,
    height: 1_024,
    ...fields,
  };
}

/** Creates an engine that records its requests. */
export function recordingEngine(): { engine: Engine; requests: RenderRequest[] } {
  const requests: RenderRequest[] = [];
  const stock = stockEngine();
  const render: Engine["render"] = (request) => stock.render((requests.push(request), request));
  return { engine: { name: "recording", render }, requests };
}

/** Creates a server with such an engine. */
export function recordingServer() {
  const { engine, requests } = recordingEngine();
  const { mock, call } = manualServer({ engine });
  const post = (body: unknown): Promise<ClientResponse<{ job_id: string; status: string }>> =>
    call.post("/api/v1/tryon", body);
  return { mock, call, post, requests };
}
