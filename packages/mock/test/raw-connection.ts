import { connect, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** A connection on which a test writes what no client would. */
export interface RawConnection {
  readonly socket: Socket;
  /** What has come back so far. */
  received(): string;
  /** Resolves when this text has come back. */
  until(text: string): Promise<void>;
  /** Resolves with all that came back when the server has closed the connection. */
  readonly closed: Promise<string>;
}

export function rawConnection(port: number, text = ""): RawConnection {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let look: (() => void) | undefined;
  socket.setEncoding("utf8").on("data", (part: string) => {
    received += part;
    look?.();
  });
  // A server that cuts a connection is what many of these tests are about.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  const until = (wanted: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (received.includes(wanted)) resolve();
      };
      look();
      void closed.then(() => reject(new Error(`The connection was closed after: ${received}`)));
    });
  return { socket, received: () => received, until, closed };
}
