export { handlers } from "./handlers.ts";
export type { HandlersOptions } from "./handlers.ts";
