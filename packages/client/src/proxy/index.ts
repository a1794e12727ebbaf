export { createProxy, type Proxy } from "./create-proxy.ts";
export type {
  ProxyCall,
  ProxyField,
  ProxyKind,
  ProxyOptions,
  ProxyTrouble,
  ProxyVisitor,
} from "./options.ts";
