export { compositeEngine } from "../engine/composite/composite.ts";
export { nodeNetwork } from "./network.ts";
export type { NodeNetworkOptions } from "./network.ts";
export { serve } from "./serve.ts";
export type { ServeOptions, Serving } from "./serve.ts";
export { setupMock } from "./setup-mock.ts";
export type { TestHooks, TestMock } from "./setup-mock.ts";
export type { TestMockOptions } from "./test-options.ts";
export type { ServerLimits } from "./limits.ts";
