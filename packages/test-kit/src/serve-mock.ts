import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

/** Serves a reference server over HTTP until the end of the test. */
export async function serveMock(options: MockOptions = {}) {
  const mock = createMock(options);
  const server = await serve(mock);
  onTestFinished(async () => {
    await server.close();
    mock.close();
  });
  return { mock, server, url: server.url };
}

/** Returns the credits of each charge for a try-on, as negative numbers. */
export async function chargesOf(
  mock: Pick<Mock, "keys" | "ledger">,
  apiKey: string = mock.keys.live,
): Promise<readonly number[]> {
  const { entries = [] } = (await mock.ledger(apiKey)) ?? {};
  return entries.flatMap(({ jobId, credits }) => (jobId === undefined ? [] : [credits]));
}

/** Advances the manual clock of a reference server with the time, or with a multiple of it, until the end of the test. */
export function passTime({ clock }: Pick<Mock, "clock">, speed = 1): void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    void clock.advance((now - last) * speed);
    last = now;
  }, 20);
  onTestFinished(() => clearInterval(timer));
}
