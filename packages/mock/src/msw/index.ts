export { handlers, type HandlersOptions } from "./handlers.ts";
