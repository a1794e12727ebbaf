// Has verifiers take one signed event in turns, and prints for each how long a call took in the middle, in microseconds,
// and the middle of its ratios, turn by turn, to the two that all are compared with.
import { ratiosOf, spreadOf } from "../figures.ts";
import { eventOf } from "../webhooks/delivery.ts";
import { provenVerifier, type Verifier } from "../webhooks/verifiers.ts";

const [bytes = "", calls = "", ...names] = process.argv.slice(2);
const turns = 30;
const warmUps = 12;

const body = eventOf(Number(bytes));
const rivals: Array<{ name: string; verifier: Verifier; figures: number[] }> = [];
for (const name of names) {
  rivals.push({ name, verifier: await provenVerifier(name, body), figures: [] });
}

async function block(verifier: Verifier): Promise<number> {
  // So that nobody pays for what the one before has left.
  globalThis.gc?.();
  const begin = performance.now();
  for (let done = 0; done < Number(calls); done += 1) {
    const result = verifier(body);
    if (result instanceof Promise) await result;
  }
  return ((performance.now() - begin) * 1_000) / Number(calls);
}

for (let turn = -warmUps; turn < turns; turn += 1) {
  for (let next = 0; next < rivals.length; next += 1) {
    const rival = rivals[(Math.abs(turn) + next) % rivals.length];
    if (rival === undefined) continue;
    const figure = await block(rival.verifier);
    if (turn >= 0) rival.figures.push(figure);
  }
}
const middle = (figures: readonly number[]): number => spreadOf(figures).median;
const [hmac, parsed, ready] = rivals;
if (hmac === undefined || parsed === undefined || ready === undefined) {
  throw new Error("The first three verifiers are those that all are compared with.");
}
const printed = rivals.flatMap(({ name, figures }) => [
  [name, middle(figures)],
  [`${name} / bare`, middle(ratiosOf(figures, hmac.figures))],
  [`${name} / parsed`, middle(ratiosOf(figures, parsed.figures))],
  [`${name} / ready`, middle(ratiosOf(figures, ready.figures))],
]);
process.stdout.write(JSON.stringify(Object.fromEntries(printed)));
