// What the test needs: the clock of its service, the id of the process, and a line for each item that is done.
import { TryOn } from "@tryon/client";

const offset = Number(process.env.OFFSET);

export const tryon = new TryOn({
  clock: {
    now: () => Date.now() + offset,
    setTimeout: (callback, delay) => setTimeout(() => callback(), delay),
    clearTimeout: (timer) => clearTimeout(timer),
  },
  middleware: (request, next) => {
    request.headers.set("x-process-id", String(process.pid));
    return next(request);
  },
});

export function done(id) {
  process.stdout.write(`done ${id}\n`);
}

export const allItems = JSON.parse(process.env.ITEMS);
/** Items that this process adds to the queue. */
export const items = process.env.IS_FIRST === "true" ? allItems : [];
