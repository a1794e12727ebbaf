// Times one comparison with guesses that are wrong in the first byte and in the last.
import { comparisons, timeGuesses, welch } from "../candidates/timing-leak.ts";
import { median } from "../statistics.ts";

const [name = "", samples = ""] = process.argv.slice(2);
const comparison = comparisons[name];
if (comparison === undefined) throw new RangeError(`There is no comparison ${name}.`);
const [first, last, again] = timeGuesses(comparison, Number(samples), 5_000);
process.stdout.write(
  JSON.stringify({
    time: { [name]: median(first) },
    errors: {
      [name]: Math.abs(welch(first, last).t),
      [`${name}, same byte`]: Math.abs(welch(first, again).t),
    },
    ratio: { [name]: welch(first, last).ratio },
  }),
);
