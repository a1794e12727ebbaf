/** Error of a command line, or of a file that it names. The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
