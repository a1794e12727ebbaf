import { colours, noPaint, type Paint } from "../report/paint.ts";

/** Where a command writes to. */
export interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The colours of a stream: none but on a terminal, and none for who does not want them (https://no-color.org). */
export function paintFor(
  stream: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const wanted = (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  return stream.isTTY === true && wanted ? colours : noPaint;
}
