/**
 * Reads a figure out of what a program has printed.
 *
 * @throws Error when it is not there.
 */
export function figureIn(printed: string, name: string): number {
  const read: unknown = JSON.parse(printed);
  const figure: unknown =
    read !== null && typeof read === "object" ? Reflect.get(read, name) : undefined;
  if (typeof figure === "number" && Number.isFinite(figure)) return figure;
  throw new Error(`The program printed no ${name}; got ${printed.slice(0, 200)}.`);
}
