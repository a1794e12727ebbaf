import { Ignitor } from "@adonisjs/core";

const root = new URL("./", import.meta.url);
const importer = (path) => import(path.startsWith(".") ? new URL(path, root).href : path);
await new Ignitor(root, { importer }).httpServer().start();
