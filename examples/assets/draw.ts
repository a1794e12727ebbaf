import { drawAll } from "./images.ts";

await drawAll(import.meta.dirname);
