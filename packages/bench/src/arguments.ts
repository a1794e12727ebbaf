/** What a run of the benchmark is to do. */
export interface Arguments {
  /** The names of the subjects, in the order of the page. */
  readonly names: readonly string[];
  /** Whether the page is written anew. */
  readonly write: boolean;
  /** The folder of a client package that is measured in place of the repository's. */
  readonly client: string | undefined;
}

const clientOption = "--client=";

/**
 * Reads `[name…] [--write] [--client=folder]`. No name stands for all.
 *
 * @throws RangeError that says what is not understood.
 */
export function readArguments(args: readonly string[], subjects: readonly string[]): Arguments {
  const given = args.filter((argument) => argument !== "--");
  const chosen = given.filter((argument) => !argument.startsWith("--"));
  const options = given.filter((argument) => argument.startsWith("--"));
  const client = options.find((option) => option.startsWith(clientOption));
  const write = options.includes("--write");
  const unknown =
    chosen.find((name) => !subjects.includes(name)) ??
    options.find((option) => option !== "--write" && option !== client);
  if (unknown !== undefined) {
    throw new RangeError(
      `There is no ${unknown}; there are ${subjects.join(", ")}, and --write and --client=folder.`,
    );
  }
  if (write && (chosen.length > 0 || client !== undefined)) {
    throw new RangeError("--write is about all subjects and the client of this repository.");
  }
  const names = subjects.filter((name) => chosen.length === 0 || chosen.includes(name));
  return { names, write, client: client?.slice(clientOption.length) };
}
