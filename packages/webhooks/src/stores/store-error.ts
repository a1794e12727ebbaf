export function storeError(message: string, hint: string): Error {
  return new Error(`${message} ${hint}`);
}
