export { createProxy, type Proxy } from "./create-proxy.ts";
export { createQuota, type Quota, type QuotaOptions, type QuotaStore } from "./create-quota.ts";

export type {
  GarmentCall,
  ProxyCall,
  ProxyField,
  ProxyKind,
  ProxyOptions,
  ProxyRequest,
  ProxyError,
  ProxyUser,
} from "./options.ts";
