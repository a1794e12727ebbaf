import { drawAll } from "./pictures.ts";

await drawAll(import.meta.dirname);
