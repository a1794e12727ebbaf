import type { OutputSize, TryOnInput } from "@tryon/client";

/** Values of the form. */
export interface FormValues {
  readonly person: Blob;
  readonly garments: readonly Blob[];
  readonly size: OutputSize;
  readonly prompt: string;
}

export function toInput({ person, garments, size, prompt }: FormValues): TryOnInput {
  return { person, garments, output_size: size, ...(prompt !== "" && { prompt }) };
}
