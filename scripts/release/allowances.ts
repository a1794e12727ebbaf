import type { Published } from "../../packages/test-kit/src/packages.ts";
import type { Allowance } from "./contents.ts";

/** What each package may hold; a package that outgrows its bytes shall do so knowingly. */
export const allowances: Readonly<Record<Published, Allowance>> = {
  client: { maxPackedBytes: 280_000, bundlesOthers: false },
  webhooks: { maxPackedBytes: 150_000, bundlesOthers: false },
  mock: { maxPackedBytes: 400_000, bundlesOthers: true },
  contract: { maxPackedBytes: 150_000, bundlesOthers: false },
};
