import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { isTryOnError, TryOn, type Receipt, type Update } from "@tryon/client";

import { UserError, type QuickstartArguments } from "./arguments.ts";
import { startMock } from "./mock-process.ts";
import { kilobytes, openPicture, type Picture } from "./pictures.ts";
import { Progress, type Output } from "./progress.ts";
import { startReceiver } from "./receiver.ts";

/** The key and the secret that every reference server has. */
const apiKey = "svc_live_mock";
const webhookSecret = "whsec_mock";

/** What to tell people in each phase of a call. */
const steps: Readonly<Record<Update["phase"], string>> = {
  sending: "sent, the answer is held until the picture is ready",
  retrying: "sending again under the same key",
  waiting: "the job goes on, looking again in a moment",
  succeeded: "ready, fetching the picture",
  failed: "the job has failed",
};

/** What both try-ons need. */
interface Scene {
  readonly tryon: TryOn;
  readonly person: Picture;
  readonly garments: readonly Picture[];
  readonly folder: string;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** Two try-ons against a reference server: one that waits for its answer, one that is told by a webhook. */
export async function quickstart(
  chosen: QuickstartArguments,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const person = await openPicture(chosen.person);
  const garments = await Promise.all(chosen.garments.map(openPicture));
  const mock = await startMock();
  try {
    await mkdir(chosen.out, { recursive: true });
    const tryon = new TryOn({ apiKey, baseUrl: mock.baseUrl });
    const scene = { tryon, person, garments, folder: chosen.out, output, signal };
    output.write(`The reference server listens on ${mock.baseUrl}.\n`);
    await waitedFor(scene);
    await toldByWebhook(scene);
    const account = await tryon.account.get({ signal });
    output.write(`\n${account.credits_remaining} credits are left on ${apiKey}.\n`);
  } catch (error) {
    signal.throwIfAborted();
    throw named(error, person, garments);
  } finally {
    await mock.stop();
  }
}

/** Sends the pictures and waits for the answer in one call. */
async function waitedFor(scene: Scene): Promise<void> {
  const { tryon, person, garments, output, signal } = scene;
  output.write("\n1. A 2K try-on whose answer is waited for\n");
  describe(scene);
  const progress = new Progress(output);
  try {
    const result = await tryon.run(
      {
        person: person.blob,
        garments: garments.map((garment) => garment.blob),
        output_size: "2K",
      },
      { signal, onUpdate: (update) => progress.show(steps[update.phase]) },
    );
    const bytes = await result.image.bytes();
    progress.stop();
    output.write(`  ${cost(result.receipt)}\n`);
    await save(scene, "try-on-2k.png", bytes);
  } finally {
    progress.stop();
  }
}

/** Sends the pictures, is told by a signed webhook when the job has ended, and fetches the picture then. */
async function toldByWebhook(scene: Scene): Promise<void> {
  const { tryon, person, garments, output, signal } = scene;
  output.write("\n2. A 1K try-on whose end a webhook tells\n");
  describe(scene);
  const receiver = await startReceiver(webhookSecret);
  const progress = new Progress(output);
  try {
    progress.show("sending");
    const job = await tryon.submit(
      {
        person: person.blob,
        garments: garments.map((garment) => garment.blob),
        webhook_url: receiver.url,
      },
      { signal },
    );
    progress.show(`${job.id} runs; waiting for the webhook`);
    const event = await Promise.race([receiver.event, aborted(signal)]);
    progress.stop();
    output.write(
      `  webhook ${event.event} with a valid signature: ${event.job_id} ${event.status}\n`,
    );
    const result = await tryon.jobs.resume(event.job_id).result({ signal });
    output.write(`  ${cost(result.receipt)}\n`);
    await save(scene, "try-on-webhook.png", await result.image.bytes());
  } finally {
    progress.stop();
    await receiver.close();
  }
}

function cost({ jobId, credits, balance }: Receipt): string {
  const left = balance === undefined ? "" : `, ${balance} are left`;
  return `${jobId} cost ${credits} credits${left}`;
}

function describe({ person, garments, output }: Scene): void {
  const list = [person, ...garments].map(({ name, blob }) => `${name} (${kilobytes(blob.size)})`);
  output.write(`  sent: ${list.join(", ")}\n`);
}

async function save(scene: Scene, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(scene.folder, name);
  await writeFile(path, bytes);
  const nearby = relative(process.env["INIT_CWD"] ?? process.cwd(), path);
  const shown = nearby.startsWith("..") ? path : nearby;
  scene.output.write(`  saved: ${shown} (${kilobytes(bytes.length)})\n`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // The reason is the error that this program has aborted with.
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

/** Says which file a refusal of the client is about, where it is about one. */
function named(error: unknown, person: Picture, garments: readonly Picture[]): unknown {
  if (!isTryOnError(error, "invalid_input")) return error;
  const picture = [person, ...garments].find((_picture, index) =>
    error.field(index === 0 ? "person" : `garments.${index - 1}`),
  );
  return picture === undefined ? error : new UserError(`${picture.path}: ${error.message}`);
}
