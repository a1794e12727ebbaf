// Compares verifiers of one signed event in turns.
import { createEvent } from "../candidates/fixtures.ts";
import { timeInTurns, type Call } from "../candidates/time-in-turns.ts";
import { createTestedVerifier, verifiers } from "../candidates/verifiers.ts";

const [baseline = "", bytes = "", calls = ""] = process.argv.slice(2);
const body = createEvent(Number(bytes));
const candidates: Record<string, Call> = {};
for (const name of Object.keys(verifiers)) {
  const verifier = await createTestedVerifier(name, body);
  candidates[name] = () => verifier(body);
}
const times = await timeInTurns(candidates, { calls: Number(calls), turns: 31, warmUps: 12 });
process.stdout.write(JSON.stringify({ time: times.medians(), ratio: times.ratios(baseline) }));
