export { compositeEngine } from "../engine/composite/composite.ts";
export { nodeNetwork, type NodeNetworkOptions } from "./network.ts";
export { serve, type ServeOptions, type Serving } from "./serve.ts";
export { setupMock, type TestHooks, type TestMock, type TestMockOptions } from "./setup-mock.ts";
export { createSqliteStore } from "./sqlite-store.ts";
export type { ServerLimits } from "./limits.ts";
