/** Name of a field over HTTP: `job_id` for `jobId`. */
type SnakeName<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeName<Rest>}`
  : Name;

type SnakeFields<Fields> = { [Name in keyof Fields as SnakeName<Name>]: Fields[Name] };

export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function snakeCase<Fields extends object>(fields: Fields): SnakeFields<Fields> {
  const renamed = Object.entries(fields).map(([name, value]) => [snakeName(name), value] as const);
  // The types rename the fields in the same way.
  return Object.fromEntries(renamed) as SnakeFields<Fields>;
}
