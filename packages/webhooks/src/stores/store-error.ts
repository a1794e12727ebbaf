/** Creates the error of a store that cannot be used. */
export function storeError(message: string, hint: string): Error {
  return new Error(`${message} ${hint}`);
}
