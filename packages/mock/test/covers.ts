import type { ServerRule } from "../src/generated/server-rules.ts";

/**
 * Says which rules of the service a test covers: each would make it fail if the server broke it. It does nothing when the
 * test runs; `npm run generate` reads the calls and writes them down in docs/fidelity.md.
 */
export function covers(..._rules: readonly [ServerRule, ...ServerRule[]]): void {}
