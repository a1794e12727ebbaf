import { connect, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** A TCP connection for requests that no HTTP client sends. */
export interface RawConnection {
  readonly socket: Socket;
  /** Returns the received text, one character for each byte. */
  received(): string;
  /** Returns the code of the error that ended the connection. */
  error(): string | undefined;
  /** Resolves when this text was received. */
  until(text: string): Promise<void>;
  /** Resolves with the received text when the server has closed the connection. */
  readonly closed: Promise<string>;
}

export function rawConnection(port: number, text = ""): RawConnection {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let errorCode: string | undefined;
  socket.setEncoding("latin1").on("data", (part: string) => (received += part));
  socket.on("error", ({ code }: NodeJS.ErrnoException) => (errorCode = code));
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  socket.write(text);
  onTestFinished(() => void socket.destroy());
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
