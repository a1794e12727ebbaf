export { createProxy, type Proxy } from "./create-proxy.ts";
export { createQuota, type Quota, type QuotaOptions } from "./create-quota.ts";
export type { QuotaStore } from "./quota-store.ts";
export type {
  ProxyCall,
  ProxyField,
  ProxyKind,
  ProxyOptions,
  ProxyError,
  ProxyUser,
} from "./options.ts";
