import { once } from "node:events";
import { openAsBlob } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";

import { isTryOnError, TryOn, type TryOnResult, type Update } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { compositeEngine, serve } from "@tryon/mock/node";

import { startReceiver } from "./start-receiver.ts";

/** Files of a run. */
export interface QuickstartOptions {
  /** Path of the person's photo. */
  readonly person: string;
  /** Paths of the garment images. */
  readonly garments: readonly string[];
  /** Folder for the results. */
  readonly out: string;
}

/** An error that the user can correct, described in one line. */
export class UserError extends Error {}

const progress: Readonly<Record<Update["phase"], string>> = {
  sending: "submitting",
  uploading: "uploading",
  retrying: "retrying under the same idempotency key",
  waiting: "the job is running, polling",
  succeeded: "succeeded, downloading the image",
  failed: "failed",
};

/** Makes two try-ons with a reference server: one waits for the result, one receives a webhook. */
export async function runQuickstart(
  { person, garments, out }: QuickstartOptions,
  signal: AbortSignal,
): Promise<void> {
  const paths = [person, ...garments];
  const [photo = new Blob(), ...images] = await Promise.all(paths.map(openImage));
  const mock = createMock({ engine: await compositeEngine() });
  const server = await serve(mock);
  try {
    await mkdir(out, { recursive: true });
    print(`The reference server listens on ${server.url}.`);
    const sizes = [photo, ...images].map(({ size }, index) => describeFile(paths[index], size));
    print(`Images: ${sizes.join(", ")}`);
    const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: server.url });
    const input = { person: photo, garments: images };

    print("\n1. A 2K try-on that waits for the result");
    let lastStep = "";
    const onUpdate = (update: Update) => {
      const step = progress[update.phase];
      // An upload has many updates.
      if (step !== lastStep) print(`  … ${step}`);
      lastStep = step;
    };
    const result = await tryon.run({ ...input, output_size: "2K" }, { signal, onUpdate });
    await save(result, join(out, "try-on-2k.png"));

    print("\n2. A 1K try-on that receives a webhook");
    const receiver = await startReceiver(mock.webhookSecret);
    try {
      const job = await tryon.submit({ ...input, webhook_url: receiver.url }, { signal });
      print(`  … ${job.id} is running, waiting for the webhook`);
      await Promise.race([receiver.event, once(signal, "abort")]);
      signal.throwIfAborted();
      const { event, job_id, status } = await receiver.event;
      print(`  webhook ${event} with a valid signature: ${job_id} ${status}`);
      await save(await job.result({ signal }), join(out, "try-on-webhook.png"));
    } finally {
      receiver.close();
    }
    const account = await tryon.account.get({ signal });
    print(`\nCredits left: ${account.credits_remaining}`);
    print("\nNext steps");
    print("  use your own images: npm start -- --person me.jpg --garment shirt.png");
    print(`  read the code: ${relative("", import.meta.filename)}`);
    print("  start a project: the guide Get started, docs/guides/get-started.md in the repository");
  } catch (error) {
    signal.throwIfAborted();
    throw addPath(error, paths);
  } finally {
    await server.close();
    mock.close();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function openImage(path: string): Promise<Blob> {
  try {
    const blob = await openAsBlob(path);
    // A folder fails when its first byte is read.
    await blob.slice(0, 1).arrayBuffer();
    return blob;
  } catch {
    throw new UserError(`Cannot read ${path}. Check that it is a file and that you may read it.`);
  }
}

function describeFile(path = "", size: number): string {
  return `${basename(path)} (${Math.ceil(size / 1_000)} kB)`;
}

async function save({ image, receipt }: TryOnResult, path: string): Promise<void> {
  await image.save(path);
  const { size } = await stat(path);
  print(`  ${receipt.jobId} cost ${receipt.credits} credits`);
  print(`  saved ${path} (${Math.ceil(size / 1_000)} kB)`);
}

/** Adds the path of the rejected image to an `invalid_input` error. */
function addPath(error: unknown, paths: readonly string[]): unknown {
  if (!isTryOnError(error, "invalid_input")) return error;
  const path = paths.find((_path, index) =>
    error.field(index === 0 ? "person" : `garments.${index - 1}`),
  );
  return path === undefined ? error : new UserError(`${path}: ${error.message}`);
}
