import { readDuration } from "@tryon/shared/duration";

import type { ContractOptions } from "./contract-options.ts";
import type { EarlyEnd } from "./report.ts";

export class RunEnd {
  readonly #ending = new AbortController();
  readonly signal = this.#ending.signal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #bail: boolean;
  reason: Omit<EarlyEnd, "notRun"> | undefined;

  constructor({ signal, maxTime, bail = false }: ContractOptions) {
    this.#bail = bail;
    const interrupt = (): void => this.#end("interrupted", "it was interrupted", signal?.reason);
    if (signal?.aborted === true) interrupt();
    else signal?.addEventListener("abort", interrupt, { signal: this.signal });
    if (maxTime === undefined) return;
    const time = readDuration(maxTime);
    const message = `it took ${time / 1_000} s, its maximum (--max-time)`;
    const error = new DOMException(`The run ended early: ${message}.`, "TimeoutError");
    this.#timer = setTimeout(() => this.#end("max-time", message, error), time);
  }

  failed(id: string): void {
    if (this.#bail) this.#end("failed-check", `${id} failed (--bail)`);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  #end(cause: EarlyEnd["cause"], message: string, error?: unknown): void {
    if (this.#ending.signal.aborted) return;
    this.reason = { cause, message };
    this.#ending.abort(error);
  }
}
