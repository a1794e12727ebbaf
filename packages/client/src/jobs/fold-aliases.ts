/** The names that the service takes for a field besides its own, in the order in which it looks at them. */
export const aliases = {
  output_size: ["resolution", "size"],
  person_url: ["model_url", "input_url"],
  garment_urls: ["clothing", "items"],
} as const;

/** Fields by name, as they are sent. */
export type Fields = Record<string, unknown>;

/** A copy in which every field has its canonical name and value; aliases are gone, unknown fields stay. */
export function foldAliases(input: Readonly<Fields>): Fields {
  const fields: Fields = { ...input };
  for (const [name, others] of Object.entries(aliases)) {
    for (const other of others) {
      if (isEmpty(fields[name])) fields[name] = fields[other];
      delete fields[other];
    }
  }
  const { mode, wait, output_size: size } = fields;
  delete fields["mode"];
  // A page can send anything as the mode, and text of any length as the size.
  fields["wait"] = wait ?? (mode === "sync" || (mode === "async" ? false : undefined));
  if (typeof size === "string" && size.length <= 2) fields["output_size"] = size.toUpperCase();
  return fields;
}

/** What the service takes for a field that was not filled in. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0)
  );
}
