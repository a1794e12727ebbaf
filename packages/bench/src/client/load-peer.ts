/**
 * What a package that is not part of the workspace exports as its default. The name is no literal, so that neither
 * compiler nor bundler looks for it.
 *
 * @typeParam Default - As much of its type as is used; nobody checks it but the run itself.
 */
export async function loadPeer<Default>(name: string): Promise<Default> {
  const module = (await import(name)) as { default: Default };
  return module.default;
}
