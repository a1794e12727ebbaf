import type { Logger } from "../config/options.ts";
import { check, environment } from "../config/resolve-config.ts";
import type { InputIssue } from "../errors/input-issue.ts";
import { redactor } from "../errors/redact.ts";

const levels = ["debug", "info", "warn", "off"];

const printedCodes = new Set<string>();

// The key is unknown here, but keys of the service have a known prefix.
const redact = redactor("");

/**
 * Creates the logger of a client without one. It prints the levels that the environment variable TRYON_LOG selects to stderr.
 * Without the variable, it prints warnings about inputs, each code once per process, unless NODE_ENV is `production`.
 *
 * @throws `invalid_config` for any other value of TRYON_LOG
 */
export function environmentLogger(): Logger {
  const level = environment("TRYON_LOG");
  if (!level) return environment("NODE_ENV") === "production" ? {} : { warn: printIssues };
  const index = levels.indexOf(level);
  check(index >= 0, "TRYON_LOG has an unknown value.", "Set it to debug, info, warn or off.");
  const selected = levels.slice(index, -1).map((name) => [
    name,
    // oxlint-disable-next-line no-console
    (...line: unknown[]) => console.error(`@tryon/client ${name}:`, ...line),
  ]);
  return Object.fromEntries(selected) as Logger;
}

/** Prints the warnings about an input whose codes are new. Ignores errors of callbacks. */
function printIssues(_message: string, issues: unknown): void {
  if (!Array.isArray(issues)) return;
  for (const { code, message } of issues as readonly InputIssue[]) {
    if (printedCodes.has(code)) continue;
    printedCodes.add(code);
    // oxlint-disable-next-line no-console
    console.warn(`@tryon/client: ${redact(message)} TRYON_LOG=off hides such warnings.`);
  }
}
