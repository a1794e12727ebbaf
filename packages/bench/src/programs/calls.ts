// Times single calls of all packages in this process.
import { createCalls } from "../candidates/calls.ts";
import { timeInTurns } from "../candidates/time-in-turns.ts";

const times = await timeInTurns(await createCalls(), { calls: 400, turns: 12, warmUps: 6 });
process.stdout.write(JSON.stringify({ time: times.medians() }));
process.exit();
