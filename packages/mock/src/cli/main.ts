#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Later starts read compiled code from a cache, so everything else is imported after this call.
enableCompileCache();
await import("./run.ts");
