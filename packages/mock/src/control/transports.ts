import type { FaultKind } from "./fault.ts";

/** The ways to reach a server that can do less than the whole. */
export type LimitedTransport = "msw";

const overHttp = "Call mock.fetch, or serve the mock with @tryon/mock/node.";

/** Which faults a face cannot show, and what to do instead. In process and over HTTP every fault is there. */
const missing: Readonly<Record<LimitedTransport, Readonly<Partial<Record<FaultKind, string>>>>> = {
  msw: {
    truncateAt: `truncateAt cannot be shown through msw, which needs whole bodies. ${overHttp}`,
  },
};

/** Why a fault of these kinds cannot be shown in one of the faces, or undefined. */
export function missingIn(
  faces: Iterable<LimitedTransport>,
  kinds: readonly FaultKind[],
): string | undefined {
  for (const face of faces) {
    for (const kind of kinds) {
      const reason = missing[face][kind];
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}
