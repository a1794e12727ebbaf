// Submits try-ons to a reference server in this process, one after another.
import { createCalls } from "../candidates/calls.ts";
import { timeInTurns } from "../candidates/time-in-turns.ts";

const name = "@tryon/mock: POST /api/v1/tryon";
const { [name]: submit } = await createCalls("manual");
const times = await timeInTurns({ [name]: submit }, { calls: 2_000, turns: 10, warmUps: 10 });
const rates = Object.entries(times.medians()).map(([row, microseconds]) => [
  row,
  1e6 / microseconds,
]);
process.stdout.write(JSON.stringify({ rate: Object.fromEntries(rates) }));
process.exit();
