import type { createMock } from "@tryon/mock";
import { expectTypeOf, it } from "vitest";

import type { StopReason } from "./batch/index.ts";
import {
  Budget,
  isTryOnError,
  packs,
  RateLimitError,
  type AccountResponse,
  type AnyTryOnError,
  type InputIssue,
  type Job,
  type JobData,
  type ListOptions,
  type PermissionDeniedError,
  type RunOptions,
  type TryOn,
  type TryOnErrorCode,
  type TryOnFields,
  type TryOnInput,
  type TryOnOptions,
  type TryOnResult,
} from "./index.ts";
import { createRawClient } from "./raw/index.ts";

type Undefined<Options> = { readonly [Name in keyof Options]: undefined };

/** Compiled, never called. */
export async function typed(
  tryon: TryOn,
  mock: ReturnType<typeof createMock>,
  photos: string[],
  job: Job,
): Promise<void> {
  const person = new Uint8Array();
  const tryOn = { person, garments: photos };
  const mixed = ["https://a.example/a.png", new Blob(), new URL("https://a.example")] as const;
  expectTypeOf(await tryon.run({ person, garments: mixed })).toEqualTypeOf<TryOnResult>();
  await tryon.run(tryOn);
  for (const image of [
    "https://a.example/a.png",
    new URL("https://a.example/a.png"),
    new Blob(),
    new File([], "a.png"),
    new ArrayBuffer(),
    new Uint8Array(new SharedArrayBuffer()),
    Buffer.of(),
    new Response(),
    new ReadableStream<Uint8Array>(),
    { base64: "AAAA" },
  ] as const) {
    await tryon.submit({ person: image, garments: [image] });
    expectTypeOf(await tryon.validate({ person: image, garments: [image] })).toEqualTypeOf<
      readonly InputIssue[]
    >();
  }
  expectTypeOf<InputIssue["severity"]>().toEqualTypeOf<"error" | "warning">();
  await tryon.submit(tryOn, { validate: false });
  await tryon.run({ person, garments: photos.map((photo) => new URL(photo)), output_size: "2k" });
  const several: readonly [string, ...string[]] = ["1", ...photos];
  await tryon.run({ person, garments: several });
  // @ts-expect-error There are three sizes.
  await tryon.run({ ...tryOn, output_size: "8K" });
  // @ts-expect-error There are three sizes, for submissions too.
  await tryon.submit({ ...tryOn, output_size: "3K" });
  await tryon.submit({ ...tryOn, output_size: "1k" });
  await tryon.submit({ ...tryOn, metadata: { order: 7, paid: true, tags: ["a", { b: null }] } });
  await tryon.submit({ ...tryOn, metadata: job.data.metadata });
  // @ts-expect-error JSON cannot represent a bigint.
  await tryon.submit({ ...tryOn, metadata: { order: 7n } });
  // @ts-expect-error JSON cannot represent a function.
  await tryon.submit({ ...tryOn, metadata: { order: () => 7 } });
  // @ts-expect-error JSON has no dates.
  await tryon.submit({ ...tryOn, metadata: { at: new Date() } });
  // @ts-expect-error A duration has a unit.
  await tryon.run(tryOn, { timeout: "soon" });
  // @ts-expect-error `done` is not a status.
  tryon.jobs.list({ status_filter: "done" });
  // @ts-expect-error `tiny` is not a pack.
  await tryon.credits.purchase({ pack_slug: "tiny", shared_payment_granted_token: "spt_1" });
  expectTypeOf<TryOnInput>().toExtend<{ readonly prompt?: string | null | undefined }>();
  expectTypeOf<RunOptions["onUpdate"]>().toExtend<unknown>();
  expectTypeOf(job.data).toEqualTypeOf<JobData>();
  expectTypeOf(job.data.cost_credits).toEqualTypeOf<number | undefined>();
  expectTypeOf(await tryon.jobs.list().toArray()).toEqualTypeOf<Job[]>();
  expectTypeOf(job).not.toExtend<PromiseLike<unknown>>();
  const { fetch, clock, baseUrl } = mock;
  expectTypeOf({ fetch, clock, baseUrl }).toExtend<TryOnOptions>();
  expectTypeOf(await tryon.submit(tryOn)).toEqualTypeOf<Job>();
  expectTypeOf(await tryon.jobs.get("job_1")).toEqualTypeOf<Job>();
  expectTypeOf(tryon.jobs.resume(job.toJSON())).toEqualTypeOf<Job>();
  expectTypeOf(await tryon.jobs.list().page()).toExtend<{ readonly nextCursor: string | null }>();
  expectTypeOf((await tryon.account.get()).credits_remaining).toEqualTypeOf<number>();
  const purchase = { pack_slug: "demo", shared_payment_granted_token: "spt_1" } as const;
  const bought = await tryon.credits.purchase(purchase);
  // A status of the payment processor, which may add others.
  expectTypeOf(bought.status).toEqualTypeOf<string>();
  const settled = await tryon.credits.waitForPurchase(bought, { timeout: "5m" });
  if (settled.status === "succeeded") expectTypeOf(settled.creditsAdded).toEqualTypeOf<number>();
  if (settled.status === "canceled") expectTypeOf(settled.reason).toEqualTypeOf<string>();
  expectTypeOf(settled.balance).toEqualTypeOf<number | undefined>();
  const budget = new Budget({ maxCredits: 5 });
  expectTypeOf(budget).toExtend<NonNullable<TryOnOptions["budget"]>>();
  await tryon.submit(tryOn, { budget });
  await tryon.run(tryOn, { budget: { maxCredits: 5 } });
  expectTypeOf(await tryon.estimate([tryOn])).toEqualTypeOf<number>();
  expectTypeOf((await tryon.costs()).costs["4K"]).toEqualTypeOf<number>();
  expectTypeOf(packs.demo.usd).toEqualTypeOf<number>();
  const result = await job.result();
  expectTypeOf(result.receipt.requestId).toEqualTypeOf<string | undefined>();
  expectTypeOf(result.receipt.credits).toEqualTypeOf<number | undefined>();
  expectTypeOf(await result.image.bytes()).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  expectTypeOf(await result.image.url()).toEqualTypeOf<string>();
  expectTypeOf(await result.image.blob()).toEqualTypeOf<Blob>();
  expectTypeOf(await result.image.stream()).toEqualTypeOf<ReadableStream<Uint8Array>>();
  for await (const update of job) expectTypeOf(update).toEqualTypeOf<JobData>();
  for await (const listed of tryon.jobs.list()) expectTypeOf(listed).toEqualTypeOf<Job>();
  const { data } = await createRawClient(tryon).GET("/api/v1/account");
  expectTypeOf(data).toExtend<AccountResponse | undefined>();
  // Every option may be undefined, also with `exactOptionalPropertyTypes`.
  expectTypeOf<Undefined<TryOnOptions>>().toExtend<TryOnOptions>();
  expectTypeOf<Undefined<RunOptions>>().toExtend<RunOptions>();
  expectTypeOf<Undefined<ListOptions>>().toExtend<ListOptions>();
  expectTypeOf<Undefined<TryOnFields>>().toExtend<TryOnFields>();
  // A status may be unknown, and the known ones still narrow the type.
  expectTypeOf<"upscaling">().toExtend<JobData["status"]>();
  if (job.status !== "succeeded") expectTypeOf(job.status).toExtend<string>();
  await tryon.account.get({ signal: undefined });
}

/** Compiled, never called: the person and the garments in each accepted form. */
export async function typedInputs(tryon: TryOn, image: Blob, urls: string[]): Promise<void> {
  const wirePersons = [
    { person_url: "https://a.example/a.png" },
    { person_image_b64: "AAAA" },
    { model_url: "https://a.example/a.png" },
    { input_url: "https://a.example/a.png" },
  ] as const;
  const wireGarments = [
    { garment_urls: urls },
    { garment_images_b64: urls },
    { clothing: urls },
    { items: urls },
  ] as const;
  for (const person of [{ person: image }, ...wirePersons]) {
    for (const garments of [{ garments: [image] as const }, ...wireGarments]) {
      await tryon.run({ ...person, ...garments });
    }
  }
  await tryon.run({ person: image, garment_urls: urls, garment_images_b64: urls });
  const input: TryOnInput = { person: image, garments: urls };
  await tryon.run({ ...input, garments: urls, output_size: "4K" });
  await tryon.estimate([{ output_size: "4K" }]);
  // @ts-expect-error The person is missing.
  await tryon.submit({ garments: [image] });
  // @ts-expect-error The garments are missing.
  await tryon.validate({ person_url: "https://a.example/a.png" });
  // @ts-expect-error The person is null.
  await tryon.run({ person_url: null, garments: [image] });
  // @ts-expect-error The garments are undefined.
  await tryon.run({ person: image, garments: undefined });
  // @ts-expect-error A field of a newer service belongs into `extra`.
  await tryon.run({ ...input, weather: "sun" });
}

it("narrows the class of an error by its code", () => {
  const error: unknown = undefined;
  if (isTryOnError(error, "job_failed"))
    expectTypeOf(error.isContentBlocked).toEqualTypeOf<boolean>();
  if (isTryOnError(error, "wait_timed_out")) expectTypeOf(error.job).toEqualTypeOf<Job>();
  if (isTryOnError(error, "outcome_unknown"))
    expectTypeOf(error.recover()).toEqualTypeOf<Promise<Job>>();
  if (isTryOnError(error, "budget_exceeded")) expectTypeOf(error.cost).toEqualTypeOf<number>();
  if (isTryOnError(error, "batch_stopped")) expectTypeOf(error.reason).toEqualTypeOf<StopReason>();
  if (isTryOnError(error, "unavailable")) expectTypeOf(error.status).toEqualTypeOf<number>();
  // The client may not have sent it.
  if (isTryOnError(error, "rate_limited"))
    expectTypeOf(error.status).toEqualTypeOf<number | undefined>();
  // With several codes, it has the fields that their classes share.
  if (isTryOnError(error, "outcome_unknown", "server_error", "unavailable")) {
    expectTypeOf(error.recover?.()).toEqualTypeOf<Promise<Job> | undefined>();
    expectTypeOf(error.code).toEqualTypeOf<"outcome_unknown" | "server_error" | "unavailable">();
    if (error.code === "outcome_unknown")
      expectTypeOf(error.recover()).toEqualTypeOf<Promise<Job>>();
  }
  if (isTryOnError(error)) {
    expectTypeOf(error).toEqualTypeOf<AnyTryOnError>();
    expectTypeOf(error.code).toEqualTypeOf<TryOnErrorCode>();
    if (error.code === "job_failed") expectTypeOf(error.isContentBlocked).toEqualTypeOf<boolean>();
    if (error.code === "forbidden") expectTypeOf(error).toEqualTypeOf<PermissionDeniedError>();
    if (error instanceof RateLimitError) expectTypeOf(error.code).toEqualTypeOf<"rate_limited">();
  }
});
