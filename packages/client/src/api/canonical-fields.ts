/** Other names that the service accepts for a field, in its order of preference. */
export const aliases = {
  resolution: "output_size",
  size: "output_size",
  model_url: "person_url",
  input_url: "person_url",
  clothing: "garment_urls",
  items: "garment_urls",
} as const;

export type Fields = Record<string, unknown>;

export const maxMetadataKeys = 8;

export function canonicalFields(input: Readonly<Fields>): Fields {
  const fields: Fields = { ...input };
  for (const [alias, name] of Object.entries(aliases)) {
    if (isEmpty(fields[name])) fields[name] = fields[alias];
    delete fields[alias];
  }
  const { mode, wait, output_size: size } = fields;
  delete fields["mode"];
  // A page can send any value as the mode, and text of any length as the size.
  fields["wait"] = wait ?? (mode === "sync" || (mode === "async" ? false : undefined));
  if (typeof size === "string" && size.length <= 2) fields["output_size"] = size.toUpperCase();
  return fields;
}

/** Returns true for a value that the service treats as absent. */
export function isEmpty(value: unknown): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
