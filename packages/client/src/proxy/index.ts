export { createProxy, type Proxy } from "./create-proxy.ts";
export { createQuota, type Quota, type QuotaOptions } from "./create-quota.ts";
export type { QuotaStore } from "./quota-store.ts";

export type {
  GarmentCall,
  MaxRefusals,
  ProxyCall,
  ProxyField,
  ProxyKind,
  ProxyOptions,
  ProxyRefusal,
  ProxyRequest,
  ProxyError,
  ProxyUser,
  RefusedJob,
} from "./options.ts";
