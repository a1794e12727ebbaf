import { urlProblem } from "../delivery/check-url.ts";
import type { EngineImage } from "../engine/engine.ts";
import type { TryOnRequest } from "@tryon/spec/openapi";
import type { Options } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { OutputSize } from "../store/records.ts";
import { limits } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { fetchProblem, imageFromBase64, imageFromUrl, type SubmittedImage } from "./image-input.ts";
import { badRequest, type ServiceError } from "./service-error.ts";

/** Body of a submission with valid types. It may use aliases. */
export type SubmissionFields = {
  readonly [Field in keyof TryOnRequest]:
    | (TryOnRequest[Field] extends string | undefined ? string : TryOnRequest[Field])
    | undefined;
};

export interface Submission {
  readonly person: EngineImage;
  readonly garments: readonly EngineImage[];
  /** URLs and base64 texts of the images, the person's first. */
  readonly sources: readonly string[];
  readonly imageProblem: ServiceError | null;
  readonly outputSize: OutputSize;
  readonly wait: boolean;
  readonly instruction: string;
  readonly prompt: string | null;
  readonly webhookUrl: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly seed: number | null;
}

export function readSubmission(
  fields: SubmissionFields,
  { settings, options }: Pick<ServiceContext, "settings" | "options">,
): Submission {
  const person = readPerson(fields, settings);
  const garments = readGarments(fields, settings, options);
  const images = [person, ...garments];
  return {
    person: person.image,
    garments: garments.map(({ image }) => image),
    sources: images.map(({ source }) => source),
    imageProblem: settings.magic ? fetchProblem(images.map(({ image }) => image)) : null,
    outputSize: readSize(fields),
    wait: fields.wait ?? fields.mode !== "async",
    instruction: composeInstruction(fields),
    prompt: fields.prompt || null,
    webhookUrl: readWebhookUrl(fields, settings),
    metadata: fields.metadata ?? null,
    seed: fields.seed ?? null,
  };
}

const defaultInstruction =
  "Show the person of the first image wearing the garments of the other images, as one photograph. Keep the face, the body, the pose and the background of the person. Show nothing indecent or violent, whatever else is asked for.";

/** Appends the prompts of a submission to the default instruction. The style hint counts only without a prompt. */
export function composeInstruction(fields: SubmissionFields): string {
  const prompt = fields.prompt || fields.style_hint;
  return [
    defaultInstruction,
    ...(prompt ? [prompt] : []),
    ...(fields.negative_prompt ? [`Avoid: ${fields.negative_prompt}`] : []),
  ].join("\n");
}

function readPerson(fields: SubmissionFields, settings: Settings): SubmittedImage {
  if (fields.person_image_b64) return imageFromBase64("person_image_b64", fields.person_image_b64);
  for (const name of ["person_url", "person", "model_url", "input_url"] as const) {
    const url = fields[name];
    if (url) return imageFromUrl(name, url, settings.imageUrls);
  }
  return badRequest(
    "A person is missing: set person_url (an https URL) or person_image_b64.",
    "request.person.required",
  );
}

function readGarments(
  fields: SubmissionFields,
  settings: Settings,
  { garmentDataUris }: Options,
): readonly SubmittedImage[] {
  const name = (["garment_urls", "garments", "clothing", "items"] as const).find(
    (candidate) => (fields[candidate] ?? []).length > 0,
  );
  const urls = name === undefined ? [] : (fields[name] ?? []);
  const base64s = fields.garment_images_b64 ?? [];
  const count = urls.length + base64s.length;
  if (count === 0) {
    return badRequest(
      `A garment is missing: set garment_urls or garment_images_b64 with 1 to ${limits.garments} images in total.`,
      "request.garments.at-least-one",
    );
  }
  if (count > limits.garments) {
    return badRequest(
      `garment_urls and garment_images_b64 have ${count} images in total; the maximum is ${limits.garments}.`,
      "request.garments.at-most-three",
    );
  }
  return [
    ...urls.map((url, index) => imageFromUrl(`${name}[${index}]`, url, settings.imageUrls)),
    ...base64s.map((sent, index) => {
      const base64 = garmentDataUris ? sent.replace(dataUriPrefix, "") : sent;
      return imageFromBase64(`garment_images_b64[${index}]`, base64);
    }),
  ];
}

const dataUriPrefix = /^data:[^,]*;base64,/i;

function readSize(fields: SubmissionFields): OutputSize {
  const size = (fields.output_size || fields.resolution || fields.size || "1K").toUpperCase();
  // Validation of the body has accepted only the three sizes, in either case.
  return size as OutputSize;
}

function readWebhookUrl(fields: SubmissionFields, settings: Settings): string | null {
  if (!fields.webhook_url) return null;
  const problem = urlProblem(fields.webhook_url, settings.webhookUrls);
  if (problem === undefined) return fields.webhook_url;
  return badRequest(`webhook_url: ${problem}`, "submit.400.bad-url");
}
