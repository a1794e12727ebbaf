/** Other names that the service accepts for a field, in its order of preference. */
const aliases = {
  output_size: ["resolution", "size"],
  person_url: ["model_url", "input_url"],
  garment_urls: ["clothing", "items"],
} as const;

/** Fields of a request body by name. */
export type Fields = Record<string, unknown>;

/** Returns a copy with canonical names and values instead of aliases. Unknown fields stay. */
export function canonicalFields(input: Readonly<Fields>): Fields {
  const fields: Fields = { ...input };
  for (const [name, others] of Object.entries(aliases)) {
    for (const other of others) {
      if (isEmpty(fields[name])) fields[name] = fields[other];
      delete fields[other];
    }
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
