import {
  createProgram,
  examples,
  runCommand,
  runCommands,
  type CommandEntry,
} from "@tryon/cli-kit";
import { printable } from "@tryon/shared/printable";

import packageJson from "../package.json" with { type: "json" };
import { interruptedCode, type CliContext, type ProgramContext } from "./context.ts";
import { CommandError, toFailure } from "./failure.ts";

const id = "job_4fK9sQ2mZx7LbT1cVw8RnE3y";
const image = "--person me.jpg --garment shirt.png";

/** Returns the commands. A module is loaded when its command is used. */
const commandsOf = (context: CliContext): readonly CommandEntry[] => [
  {
    name: "run",
    description: "Make a try-on, and save its image. Prints the path.",
    examples: [`${image} -o look.png`, `${image} --size 2K --max-credits 20 --json`],
    define: async (command, start) => {
      const { addRunOptions, runTryOn } = await import("./commands/run-try-on.ts");
      addRunOptions(command).action((options) => start(() => runTryOn(options, context)));
    },
  },
  {
    name: "batch",
    description: "Make the try-ons of a CSV or NDJSON file. Run it again to continue.",
    examples: [
      "items.csv --out looks --max-credits 5000",
      "looks.failures.ndjson --out looks --json",
    ],
    define: async (command, start) => {
      const { addBatchOptions, runBatch } = await import("./commands/batch.ts");
      const argument = "header row or keys: person, garments, size, id, prompt, seed";
      addBatchOptions(command.argument("<file>", argument)).action((file, options) =>
        start(() => runBatch(file, options, context)),
      );
    },
  },
  {
    name: "jobs",
    description: "List jobs, show one, wait for it, or download its image.",
    examples: ["list --status succeeded", `wait ${id} -o look.png`],
    define: async (command, start) => {
      const jobs = await import("./commands/jobs.ts");
      const { addConnection } = await import("./connect.ts");
      command.helpCommand("help [command]", "print help of a command");
      jobs
        .addListOptions(command.command("list").description("List jobs, newest first."))
        .addHelpText(
          "after",
          examples("tryon jobs list", ["--status succeeded --limit 100", "--json"]),
        )
        .action((options) => start(() => jobs.listJobs(options, context)));
      const job = (name: string, description: string) =>
        command
          .command(name)
          .description(description)
          .argument("<id>", "id of the job")
          .addHelpText("after", examples(`tryon jobs ${name}`, [id, `${id} --json`]));
      addConnection(job("get", "Print the fields of a job.")).action((given, options) =>
        start(() => jobs.getJob(given, options, context)),
      );
      jobs
        .addResultOptions(job("wait", "Wait until a job ends; with -o, save its image."))
        .action((given, options) =>
          start(() => jobs.waitForJob(given, { ...options, download: false }, context)),
        );
      jobs
        .addResultOptions(job("download", "Save the image of a job."))
        .action((given, options) =>
          start(() => jobs.waitForJob(given, { ...options, download: true }, context)),
        );
    },
  },
  {
    name: "account",
    description: "Show balance, rate limit and mode of the key.",
    examples: ["", "--json"],
    define: async (command, start) => {
      const { showAccount } = await import("./commands/account.ts");
      const { addConnection } = await import("./connect.ts");
      addConnection(command).action((options) => start(() => showAccount(options, context)));
    },
  },
  {
    name: "credits",
    description: "Show prices, what the balance pays for, and packs of credits; or buy a pack.",
    examples: ["", "buy starter --max-usd 25"],
    define: async (command, start) => {
      const { showCredits } = await import("./commands/account.ts");
      const { addBuyOptions, buyCredits } = await import("./commands/buy-credits.ts");
      const { addConnection } = await import("./connect.ts");
      command.helpCommand("help [command]", "print help of a command").enablePositionalOptions();
      // Both commands have the options of the service. Those after `buy` are not for `credits`.
      command.parent?.enablePositionalOptions();
      addConnection(command).action((options) => start(() => showCredits(options, context)));
      const buy = command
        .command("buy")
        .description("Buy a pack with a payment token of TRYON_PAYMENT_TOKEN or standard input.")
        .argument("<pack>", "demo, starter, pro, scale or enterprise");
      const uses = ["starter --max-usd 25", "demo --max-usd 100 --state session.json"] as const;
      addBuyOptions(buy)
        .addHelpText("after", examples("tryon credits buy", uses))
        .action((pack, options) => start(() => buyCredits(pack, options, context)));
    },
  },
  {
    name: "report",
    description: "Print jobs and credits as CSV, with credits that nothing explains.",
    examples: [
      "--from 2026-11-01 --to 2026-12-01 --by metadata.campaign",
      "--from 2026-11-01 --journal looks.journal.ndjson -o november.csv",
    ],
    define: async (command, start) => {
      const { addReportOptions, writeReport } = await import("./commands/report.ts");
      addReportOptions(command).action((options) => start(() => writeReport(options, context)));
    },
  },
  {
    name: "doctor",
    description: "Check this machine, the key and the service. Nothing is charged.",
    examples: ["", "--webhook-url http://localhost:3000/hook"],
    define: async (command, start) => {
      const { addDoctorOptions, runDoctor } = await import("./commands/doctor.ts");
      addDoctorOptions(command).action((options) => start(() => runDoctor(options, context)));
    },
  },
  {
    name: "listen",
    description: "Deliver the events of jobs that end to a local receiver.",
    examples: ["--forward-to localhost:3000/hook", `--forward-to localhost:3000/hook --job ${id}`],
    define: async (command, start) => {
      const { addListenOptions, listen } = await import("./commands/listen.ts");
      addListenOptions(command).action((options) => start(() => listen(options, context)));
    },
  },
  {
    name: "mcp",
    description: "Serve try-ons to an agent over MCP, within a limit of credits.",
    examples: [
      "--max-credits 100 --allow-dir photos --out looks --state session.json",
      "--env-file .env --max-credits 50",
    ],
    define: async (command, start) => {
      const { addMcpOptions, serveMcp } = await import("./mcp/serve-mcp.ts");
      addMcpOptions(command).action((options) => start(() => serveMcp(options, context)));
    },
  },
  // Commands of other packages, which main.ts runs.
  { name: "mock", description: "Run the reference server, as tryon-mock does." },
  { name: "contract", description: "Check a deployment, as tryon-contract does." },
  {
    name: "webhooks",
    description: "Verify, explain, sign and send webhooks, as tryon-webhooks does.",
  },
];

export async function run(argv: readonly string[], given: ProgramContext): Promise<number> {
  const { stdout, stderr, environment } = given;
  let interruption: AbortSignal | undefined;
  const onInterrupt = () => (interruption ??= given.onInterrupt());
  const context: CliContext = { ...given, onInterrupt, clients: [] };
  const work = async (): Promise<number> => {
    const program = createProgram({
      name: "cli",
      command: "tryon",
      version: packageJson.version,
      source: import.meta.url,
      stdout,
      environment,
    }).description("Virtual try-on from a terminal.");
    program.addHelpText(
      "after",
      "\nKeys come from TRYON_API_KEY, --env-file or a prompt, the URL from TRYON_BASE_URL.\nExit codes: 0 success, 1 failure, 2 wrong command line or input, 130 interrupted.\n\nExamples:\n  tryon run --person me.jpg --garment shirt.png -o look.png\n  tryon doctor",
    );
    try {
      return await runCommands(program, commandsOf(context), argv.length === 0 ? ["--help"] : argv);
    } catch (thrown) {
      if (interruption?.aborted === true) return interruptedCode;
      const error = toFailure(thrown);
      if (!(error instanceof CommandError) || !argv.includes("--json")) throw error;
      const { code, message, jobId: job_id } = error;
      stderr.write(`${printable(JSON.stringify({ error: { code, message, job_id } }))}\n`);
      return 1;
    } finally {
      // An open connection would keep the process alive.
      for (const client of context.clients) client.close();
    }
  };
  return runCommand("tryon", stderr, work);
}
