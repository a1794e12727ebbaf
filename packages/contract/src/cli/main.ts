#!/usr/bin/env node
import { runContract } from "../contract.ts";

const report = await runContract({ baseUrl: process.argv[2] ?? "" });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
