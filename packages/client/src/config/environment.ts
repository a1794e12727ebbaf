/** A variable of the environment, where there is one and it may be read. */
export function environment(name: string): string | undefined {
  // `process` is there in Node and its like, and absent from the types of a package that is at home everywhere.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.[name];
  } catch {
    // Deno asks for a permission, and a refusal is as good as no variable.
    return undefined;
  }
}
