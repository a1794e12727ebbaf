import { Buffer } from "node:buffer";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request as openRequest, type ClientRequest } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Blob of React Native: a part of bytes that the host keeps. */
interface NativeBlob {
  readonly blobId: string;
  readonly offset: number;
  readonly size: number;
}

interface NativeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: { readonly string?: string };
  readonly withCredentials: boolean;
}

/** Messages of `native-modules.js` by their method, with their arguments. */
interface Messages {
  abortRequest(id: number): void;
  createBlob(parts: readonly { readonly type: string; readonly data: never }[], id: string): void;
  ended(outcome: Outcome): void;
  readAsDataURL(blob: NativeBlob, call: number): void;
  readAsText(blob: NativeBlob, call: number): void;
  releaseBlob(id: string): void;
  sendRequest(request: NativeRequest, id: number): void;
  startTimer(delay: number, call: number): void;
}

/** Result of a function of the app, or its error. */
export interface Outcome {
  readonly result?: unknown;
  readonly error?: string;
  readonly code?: string;
  readonly name?: string;
}

/** An app in the virtual machine of Hermes, with the network, files, blobs and timers of this program. */
export class NativeApp implements Messages {
  readonly #hermes: ChildProcessWithoutNullStreams;
  readonly #blobs = new Map<string, Buffer>();
  readonly #requests = new Map<number, ClientRequest>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #onEnd: (outcome: Outcome) => void = () => undefined;
  #output = "";
  /** Requests that the app has sent. */
  readonly sent: NativeRequest[] = [];
  /** If true, the app does not get the response to the next POST, which the server has sent. */
  losesNextResponse = false;

  constructor(hermes: string, scripts: readonly string[]) {
    this.#hermes = spawn(hermes, { stdio: "pipe" });
    createInterface({ input: this.#hermes.stdout }).on("line", (line) => {
      const message = /@@(.*)/.exec(line)?.[1];
      if (message === undefined) {
        this.#output += `${line}\n`;
        return;
      }
      // `native-modules.js` sends these.
      const { method, args } = JSON.parse(message) as { method: keyof Messages; args: never[] };
      Reflect.apply(this[method], this, args);
    });
    this.#hermes.once("exit", (code) => {
      this.#onEnd({ error: `Hermes ended with ${code}.\n${this.#output}` });
    });
    this.#evaluate(`random = "${randomBytes(30_000).toString("base64")}"`);
    this.#evaluate('host = (text) => print("@@" + text)');
    for (const script of scripts) this.#evaluate(`(0, eval)(${JSON.stringify(script)})`);
  }

  /** Calls a function of the app. */
  async call(name: string, ...args: readonly unknown[]): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#onEnd = resolve;
    this.#evaluate(`call(${JSON.stringify(name)}, ${JSON.stringify(args)})`);
    return promise;
  }

  close(): void {
    this.#hermes.kill("SIGKILL");
    for (const timer of this.#timers) clearTimeout(timer);
    for (const open of this.#requests.values()) open.destroy();
  }

  /** Hermes prints the value of each line. */
  #evaluate(code: string): void {
    this.#hermes.stdin.write(`${code}; 0\n`);
  }

  #deliver(message: object): void {
    this.#evaluate(`deliver(${JSON.stringify(message)})`);
  }

  #emit(event: string, args: readonly unknown[]): void {
    this.#deliver({ event, args });
  }

  ended(outcome: Outcome): void {
    this.#onEnd(outcome);
  }

  startTimer(delay: number, id: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#deliver({ id });
    }, delay);
    this.#timers.add(timer);
  }

  createBlob(parts: readonly { readonly type: string; readonly data: never }[], id: string): void {
    const bytes = parts.map(({ type, data }) =>
      type === "string" ? Buffer.from(data) : this.#read(data),
    );
    this.#blobs.set(id, Buffer.concat(bytes));
  }

  releaseBlob(id: string): void {
    this.#blobs.delete(id);
  }

  readAsDataURL(blob: NativeBlob, id: number): void {
    this.#deliver({ id, result: `data:;base64,${this.#read(blob).toString("base64")}` });
  }

  readAsText(blob: NativeBlob, id: number): void {
    this.#deliver({ id, result: this.#read(blob).toString("utf8") });
  }

  #read({ blobId, offset, size }: NativeBlob): Buffer {
    return this.#blobs.get(blobId)?.subarray(offset, offset + size) ?? Buffer.alloc(0);
  }

  abortRequest(id: number): void {
    this.#requests.get(id)?.destroy();
  }

  sendRequest(sent: NativeRequest, id: number): void {
    const { method, url, headers, data } = sent;
    this.sent.push(sent);
    if (url.startsWith("file:")) {
      void readFile(fileURLToPath(url)).then(
        (bytes) => this.#respond(id, 200, {}, bytes),
        (error: unknown) => this.#emit("didCompleteNetworkResponse", [id, String(error), false]),
      );
      return;
    }
    const opened = openRequest(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", (error) => onError(error));
      response.once("end", () => {
        const { statusCode = 0, headers: received } = response;
        this.#requests.delete(id);
        if (method === "POST" && this.losesNextResponse) {
          this.losesNextResponse = false;
          return onError(new Error("The network connection was lost."));
        }
        this.#respond(id, statusCode, received, Buffer.concat(chunks));
      });
    });
    const onError = (error: Error): void => {
      this.#requests.delete(id);
      this.#emit("didCompleteNetworkResponse", [id, error.message, false]);
    };
    opened.once("error", onError);
    this.#requests.set(id, opened);
    opened.end(data.string);
  }

  /** Delivers a response as React Native does: its body is complete, and the app gets a blob. */
  #respond(id: number, status: number, headers: object, bytes: Buffer): void {
    const blobId = `response-${id}`;
    this.#blobs.set(blobId, bytes);
    this.#emit("didReceiveNetworkResponse", [id, status, headers, ""]);
    this.#emit("didReceiveNetworkData", [id, { blobId, offset: 0, size: bytes.length }]);
    this.#emit("didCompleteNetworkResponse", [id, null, false]);
  }
}
