import { createProgram, parse, runCommand, type Command } from "@tryon/command-line";
import { printable } from "@tryon/command-line/printable";

import packageJson from "../package.json" with { type: "json" };
import { interruptedCode, type CliContext } from "./context.ts";
import { CommandError } from "./failure.ts";

/** Runs the action of a command, and keeps its exit code. */
type Start = (action: (context: CliContext) => Promise<number>) => void;

/** Command of `tryon`. Its module is loaded when it is used, so that help is fast. */
interface Entry {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly [string, string];
  readonly register: (command: Command, start: Start) => Promise<void>;
}

const id = "job_4fK9sQ2mZx7LbT1cVw8RnE3y";
const image = "--person me.jpg --garment shirt.png";

const entries: readonly Entry[] = [
  {
    name: "run",
    description: "Make a try-on, and save its image. Prints the path.",
    examples: [`${image} -o look.png`, `${image} --size 2K --max-credits 20 --json`],
    register: async (command, start) => {
      const { addRunOptions, runTryOn } = await import("./commands/run-try-on.ts");
      addRunOptions(command).action((options) => {
        start((context) => runTryOn(options, context));
      });
    },
  },
  {
    name: "batch",
    description: "Make the try-ons of a CSV or NDJSON file. Run it again to continue.",
    examples: [
      "items.csv --out looks --max-credits 5000",
      "looks.failures.ndjson --out looks --json",
    ],
    register: async (command, start) => {
      const { addBatchOptions, runBatch } = await import("./commands/batch.ts");
      const argument = "header row or keys: person, garments, size, id, prompt, seed";
      addBatchOptions(command.argument("<file>", argument)).action((file, options) => {
        start((context) => runBatch(file, options, context));
      });
    },
  },
  {
    name: "jobs",
    description: "List jobs, show one, wait for it, or download its image.",
    examples: ["list --status succeeded", `wait ${id} -o look.png`],
    register: async (command, start) => {
      const jobs = await import("./commands/jobs.ts");
      const { addConnection } = await import("./connect.ts");
      command.helpCommand("help [command]", "print help of a command");
      jobs
        .addListOptions(command.command("list").description("List jobs, newest first."))
        .addHelpText("after", examplesOf("jobs list", "--status succeeded --limit 100", "--json"))
        .action((options) => {
          start((context) => jobs.listJobs(options, context));
        });
      const job = (name: string, description: string) =>
        command
          .command(name)
          .description(description)
          .argument("<id>", "id of the job")
          .addHelpText("after", examplesOf(`jobs ${name}`, id, `${id} --json`));
      addConnection(job("get", "Print the fields of a job.")).action((given, options) => {
        start((context) => jobs.getJob(given, options, context));
      });
      jobs
        .addResultOptions(job("wait", "Wait until a job ends; with -o, save its image."))
        .action((given, options) => {
          start((context) => jobs.waitForJob(given, { ...options, download: false }, context));
        });
      jobs
        .addResultOptions(job("download", "Save the image of a job."))
        .action((given, options) => {
          start((context) => jobs.waitForJob(given, { ...options, download: true }, context));
        });
    },
  },
  {
    name: "account",
    description: "Show balance, rate limit and mode of the key.",
    examples: ["", "--json"],
    register: async (command, start) => {
      const { showAccount } = await import("./commands/account.ts");
      const { addConnection } = await import("./connect.ts");
      addConnection(command).action((options) => {
        start((context) => showAccount(options, context));
      });
    },
  },
  {
    name: "credits",
    description: "Show prices, what the balance pays for, and packs of credits.",
    examples: ["", "--json"],
    register: async (command, start) => {
      const { showCredits } = await import("./commands/account.ts");
      const { addConnection } = await import("./connect.ts");
      addConnection(command).action((options) => {
        start((context) => showCredits(options, context));
      });
    },
  },
  {
    name: "doctor",
    description: "Check this machine, the key and the service. Nothing is charged.",
    examples: ["", "--webhook-url http://localhost:3000/hook"],
    register: async (command, start) => {
      const { addDoctorOptions, runDoctor } = await import("./commands/doctor.ts");
      addDoctorOptions(command).action((options) => {
        start((context) => runDoctor(options, context));
      });
    },
  },
  {
    name: "listen",
    description: "Deliver the events of jobs that end to a local receiver.",
    examples: ["--forward-to localhost:3000/hook", `--forward-to localhost:3000/hook --job ${id}`],
    register: async (command, start) => {
      const { addListenOptions, listen } = await import("./commands/listen.ts");
      addListenOptions(command).action((options) => {
        start((context) => listen(options, context));
      });
    },
  },
  {
    name: "mcp",
    description: "Serve try-ons to an agent over MCP, within a limit of credits.",
    examples: [
      "--max-credits 100 --allow-dir photos --out looks --state session.json",
      "--env-file .env --max-credits 50",
    ],
    register: async (command, start) => {
      const { addMcpOptions, serveMcp } = await import("./mcp/serve-mcp.ts");
      addMcpOptions(command).action((options) => {
        start((context) => serveMcp(options, context));
      });
    },
  },
];

/** Commands of other packages, for the help. */
const others = [
  ["mock", "Run the reference server, as tryon-mock does."],
  ["contract", "Check a deployment, as tryon-contract does."],
  ["webhooks", "Verify, explain, sign and send webhooks, as tryon-webhooks does."],
] as const;

/** Runs a command line and returns the exit code. */
export async function run(argv: readonly string[], context: CliContext): Promise<number> {
  const { stdout, stderr, environment } = context;
  let interruption: AbortSignal | undefined;
  const handled = { ...context, onInterrupt: () => (interruption ??= context.onInterrupt()) };
  const work = async (): Promise<number> => {
    let action: ((context: CliContext) => Promise<number>) | undefined;
    const program = createProgram({
      name: "cli",
      command: "tryon",
      version: packageJson.version,
      source: import.meta.url,
      stdout,
      environment,
    }).description("Virtual try-on from a terminal.");
    const name = argv.find((word) => word !== "help" && !word.startsWith("-"));
    for (const entry of entries) {
      const command = program
        .command(entry.name)
        .description(entry.description)
        .addHelpText("after", examplesOf(entry.name, ...entry.examples));
      if (entry.name === name) await entry.register(command, (chosen) => (action = chosen));
    }
    for (const [other, description] of others) program.command(other).description(description);
    program.addHelpText(
      "after",
      "\nKeys come from TRYON_API_KEY, --env-file or a prompt, the URL from TRYON_BASE_URL.\nExit codes: 0 success, 1 failure, 2 wrong command line or input, 130 interrupted.\n\nExamples:\n  tryon run --person me.jpg --garment shirt.png -o look.png\n  tryon doctor",
    );
    parse(program, argv.length === 0 ? ["--help"] : argv);
    try {
      return (await action?.(handled)) ?? 0;
    } catch (error) {
      if (interruption?.aborted === true) return interruptedCode;
      if (!(error instanceof CommandError) || !argv.includes("--json")) throw error;
      const { code, message, jobId: job_id } = error;
      stderr.write(`${printable(JSON.stringify({ error: { code, message, job_id } }))}\n`);
      return 1;
    }
  };
  return runCommand("tryon", stderr, work);
}

function examplesOf(name: string, ...examples: readonly [string, string]): string {
  const uses = examples.map((use) => `  tryon ${name} ${use}`.trimEnd());
  return `\nExamples:\n${uses.join("\n")}`;
}
