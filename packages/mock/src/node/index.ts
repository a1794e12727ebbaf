export { compositeEngine } from "../engine/composite/composite.ts";
export { nodeNetwork } from "./network.ts";
export type { NodeNetworkOptions } from "./network.ts";
export { serve } from "./serve.ts";
export type { ServeOptions, Serving } from "./serve.ts";
export { setupMock } from "./setup-mock.ts";
export { createSqliteStore } from "./sqlite-store.ts";
export type { TestHooks, TestMock, TestMockOptions } from "./setup-mock.ts";
export type { ServerLimits } from "./limits.ts";
