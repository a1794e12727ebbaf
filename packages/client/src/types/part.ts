/** Returns a part of the client. A page loads it at its first use, and gets undefined if that fails. */
export type Part<Module> = () => Module | Promise<Module | undefined>;
