import type { RenderRequest } from "../src/engine/engine.ts";
import { stockEngine } from "../src/engine/stock.ts";
import { createMock } from "../src/mock.ts";
import { caller, type ClientResponse } from "./caller.ts";

/** A server whose engine notes what it was asked for. */
export function recordingServer() {
  const requests: RenderRequest[] = [];
  const stock = stockEngine();
  const mock = createMock({
    clock: "manual",
    engine: {
      name: "recording",
      render(request) {
        requests.push(request);
        return stock.render(request);
      },
    },
  });
  const call = caller(mock);
  const post = (body: unknown): Promise<ClientResponse<{ job_id: string; status: string }>> =>
    call.post("/api/v1/tryon", body);
  return { mock, call, post, requests };
}
