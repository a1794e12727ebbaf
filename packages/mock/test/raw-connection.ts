import { connect } from "node:net";

import { onTestFinished } from "vitest";

/** Opens a TCP connection for requests that no HTTP client sends. */
export function rawConnection(port: number, text = "") {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let errorCode: string | undefined;
  socket.setEncoding("latin1").on("data", (part: string) => (received += part));
  socket.on("error", ({ code }: NodeJS.ErrnoException) => (errorCode = code));
  /** Resolves with the received text, one character for each byte, when the server has closed the connection. */
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  /** Resolves when this text was received. */
  const until = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (received.includes(wanted)) resolve();
      };
      check();
      socket.on("data", check);
      void closed.then(() => reject(new Error(`The connection was closed after: ${received}`)));
    });
  return { socket, received: () => received, error: () => errorCode, until, closed };
}
