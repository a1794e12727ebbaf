/** Finds the ends of answers on a connection on which one is waited for at a time. */
export class AnswerReader {
  #head = "";
  /** How many bytes of the body are still to come; -1 while the head is. */
  #left = -1;

  /**
   * Takes what has come.
   *
   * @returns whether the answer has come to its end.
   * @throws Error for an answer that is not 200 or that does not say how long it is.
   */
  take(bytes: Buffer): boolean {
    if (this.#left === -1) {
      this.#head += bytes.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end === -1) return false;
      const head = this.#head.slice(0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (!head.startsWith("HTTP/1.1 200 ")) {
        throw new Error(`Got ${head.split("\r\n", 1)[0]} in place of 200.`);
      }
      if (length === undefined) throw new Error("The answer does not say how long it is.");
      this.#left = Number(length) - (this.#head.length - end - 4);
      this.#head = "";
    } else {
      this.#left -= bytes.length;
    }
    if (this.#left > 0) return false;
    this.#left = -1;
    return true;
  }
}
