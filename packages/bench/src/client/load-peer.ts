/**
 * What a package that is not part of the workspace exports as its default. The name is no literal, so that neither
 * compiler nor bundler looks for it.
 *
 * @typeParam Default - As much of its type as is used; nobody checks it but the run itself.
 */
export async function loadPeer<Default>(name: string): Promise<Default> {
  return (await loadModule<{ default: Default }>(name)).default;
}

/** The same for all that a package exports. */
export async function loadModule<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}
