import { performance } from "node:perf_hooks";

import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";

/** A service over HTTP whose time runs faster than that of this machine, so that its minutes pass soon. */
export interface QuickService {
  readonly mock: Mock;
  readonly url: string;
  /** The statuses of all answers, in the order of the answers. */
  readonly statuses: readonly number[];
  close(): Promise<void>;
}

const step = 20;

/** @param arrived - Is told of each request once the service is at work on it. */
export async function quickService(
  speed: number,
  options: MockOptions,
  arrived: (request: Pick<Request, "method" | "headers">) => Promise<void>,
): Promise<QuickService> {
  const mock = createMock({ ...options, clock: "manual" });
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    void mock.clock.advance((now - before) * speed);
    before = now;
  }, step);
  const statuses: number[] = [];
  const server = await serve({
    async fetch(resource, init) {
      const answering = mock.fetch(resource, init);
      const answered = answering.then(({ status }) => statuses.push(status));
      // Whoever has been killed does not hear the answer.
      answered.catch(() => undefined);
      // A server hands over nothing else.
      await arrived(resource as Request);
      return answering;
    },
  });
  return {
    mock,
    url: server.url,
    statuses,
    async close() {
      clearInterval(timer);
      mock.close();
      await server.close();
    },
  };
}
