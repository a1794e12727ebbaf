import { guardAddress } from "../delivery/address-guard.ts";
import type { EngineImage } from "../engine/engine.ts";
import type { Settings } from "../settings.ts";
import type { OutputSize } from "../store/records.ts";
import { limits } from "./catalogue.ts";
import { imageFromBase64, imageFromUrl, fetchProblem } from "./image-input.ts";
import type { Instructions } from "./instruction.ts";
import { ServiceError } from "./service-error.ts";

type Text = string | null | undefined;
type Texts = readonly string[] | undefined;

/** The body of a submission after its types have been checked, aliases included. */
export interface SubmissionFields {
  readonly person_url?: Text;
  readonly person?: Text;
  readonly model_url?: Text;
  readonly input_url?: Text;
  readonly person_image_b64?: Text;
  readonly garment_urls?: Texts;
  readonly garments?: Texts;
  readonly clothing?: Texts;
  readonly items?: Texts;
  readonly garment_images_b64?: Texts;
  readonly output_size?: string | undefined;
  readonly resolution?: string | undefined;
  readonly size?: string | undefined;
  readonly prompt?: Text;
  readonly style_hint?: Text;
  readonly negative_prompt?: Text;
  readonly wait?: boolean | undefined;
  readonly mode?: string | undefined;
  readonly webhook_url?: Text;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly seed?: number | null | undefined;
}

/** What a submission means once aliases are folded and defaults filled in. */
export interface Submission {
  readonly person: EngineImage;
  readonly garments: readonly EngineImage[];
  /** The images as they were sent: addresses and base64, the person's first. */
  readonly sources: readonly string[];
  /** Reason to refuse an image, or null. */
  readonly imageProblem: string | null;
  readonly outputSize: OutputSize;
  readonly wait: boolean;
  readonly wording: Instructions;
  readonly webhookUrl: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly seed: number | null;
}

/** Image and the text that it was sent as. */
interface SubmittedImage {
  readonly image: EngineImage;
  readonly source: string;
}

/**
 * Folds aliases, fills in defaults and checks what the types alone cannot tell.
 *
 * @throws Refusal `bad-request` naming the field, the bound and the way out.
 */
export function readSubmission(fields: SubmissionFields, settings: Settings): Submission {
  const person = readPerson(fields, settings);
  const garments = readGarments(fields, settings);
  const images = [person, ...garments];
  return {
    person: person.image,
    garments: garments.map(({ image }) => image),
    sources: images.map(({ source }) => source),
    imageProblem: settings.magic ? fetchProblem(images.map(({ image }) => image)) : null,
    outputSize: readSize(fields),
    wait: fields.wait ?? fields.mode !== "async",
    wording: wordingOf(fields),
    webhookUrl: readWebhookUrl(fields, settings),
    metadata: fields.metadata ?? null,
    seed: fields.seed ?? null,
  };
}

/** The words for the model; empty ones count as none. */
export function wordingOf(fields: SubmissionFields): Instructions {
  return {
    prompt: fields.prompt || null,
    styleHint: fields.style_hint || null,
    negativePrompt: fields.negative_prompt || null,
  };
}

function readPerson(fields: SubmissionFields, settings: Settings): SubmittedImage {
  if (fields.person_image_b64) return submittedBase64("person_image_b64", fields.person_image_b64);
  for (const name of ["person_url", "person", "model_url", "input_url"] as const) {
    const address = fields[name];
    if (address) return submittedUrl(name, address, settings);
  }
  throw new ServiceError(
    "bad-request",
    "A person is missing: set person_url (an https address) or person_image_b64.",
  );
}

function readGarments(fields: SubmissionFields, settings: Settings): readonly SubmittedImage[] {
  const name = (["garment_urls", "garments", "clothing", "items"] as const).find(
    (candidate) => (fields[candidate] ?? []).length > 0,
  );
  const addresses = name === undefined ? [] : (fields[name] ?? []);
  const base64s = fields.garment_images_b64 ?? [];
  const count = addresses.length + base64s.length;
  if (count === 0) {
    throw new ServiceError(
      "bad-request",
      `A garment is missing: set garment_urls or garment_images_b64 with 1 to ${limits.garments} images in total.`,
    );
  }
  if (count > limits.garments) {
    throw new ServiceError(
      "bad-request",
      `garment_urls and garment_images_b64 hold ${count} images in total; at most ${limits.garments} are taken.`,
    );
  }
  return [
    ...addresses.map((address, index) => submittedUrl(`${name}[${index}]`, address, settings)),
    ...base64s.map((base64, index) => submittedBase64(`garment_images_b64[${index}]`, base64)),
  ];
}

function readSize(fields: SubmissionFields): OutputSize {
  const size = (fields.output_size || fields.resolution || fields.size || "1K").toUpperCase();
  // The types of the body admit only the three sizes, in either case.
  return size as OutputSize;
}

function readWebhookUrl(fields: SubmissionFields, settings: Settings): string | null {
  if (!fields.webhook_url) return null;
  const allowPrivate = settings.allowPrivateWebhooks;
  const verdict = guardAddress(fields.webhook_url, { allowPrivate });
  if (verdict.ok) return fields.webhook_url;
  const wayOut = verdict.private ? " The setting allowPrivateWebhooks admits loopback." : "";
  throw new ServiceError("bad-request", `webhook_url: ${verdict.problem}${wayOut}`);
}

function submittedUrl(field: string, address: string, settings: Settings): SubmittedImage {
  const allowPrivate = settings.allowPrivateImages;
  return { image: imageFromUrl(field, address, { allowPrivate }), source: address };
}

function submittedBase64(field: string, base64: string): SubmittedImage {
  return { image: imageFromBase64(field, base64), source: base64 };
}
