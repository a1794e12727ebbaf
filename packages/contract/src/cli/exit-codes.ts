export const exits = [
  ["passed", 0, "the deployment passes every check that this run could make"],
  ["failed", 1, "a check failed"],
  ["usage", 2, "the command line is wrong, or a live key came without --allow-live"],
  ["unreachable", 3, "the deployment cannot be reached"],
  ["tls", 4, "TLS failed"],
  ["wrong-key", 5, "the key is rejected or missing"],
  ["other-service", 6, "the URL belongs to another service"],
  ["internal", 70, "tryon-contract failed, or could not write a report"],
  ["max-time", 124, "--max-time ended the run, no check failed; reports have the results so far"],
  ["interrupted", 130, "interrupted by Ctrl+C; the reports have the results so far"],
] as const;

export const exitCodes = Object.fromEntries(
  exits.map(([name, code]) => [name, code]),
  // The table has every name.
) as Readonly<Record<(typeof exits)[number][0], number>>;
