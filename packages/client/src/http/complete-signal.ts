type Controller = new () => AbortController;

/** Runtimes of apps have parts of these. */
const { DOMException: AppException, AbortController: AppController } = globalThis as Partial<
  typeof globalThis
>;

/** Creates an error as `DOMException` does. No class: each class of errors of the package is in its main entry. */
function createNamed(message: string, name: string): Error {
  return Object.assign(new Error(message), { name });
}

export const NamedError = (AppException ?? createNamed) as new (
  message: string,
  name: string,
) => Error;

function abortError(): Error {
  return new NamedError("The call was aborted.", "AbortError");
}

/** Adds `throwIfAborted` to a signal of the package `abort-controller`, which earlier versions of React Native use. */
export function completeSignal<Signal extends AbortSignal | undefined>(signal: Signal): Signal {
  if (!signal || "throwIfAborted" in signal) return signal;
  return Object.defineProperty(signal, "throwIfAborted", {
    value(this: AbortSignal): void {
      // A reason may be any value.
      if (this.aborted) throw (this.reason as Error | undefined) ?? abortError();
    },
  });
}

/** Returns a controller whose signals have a reason, made of one whose signals have none. */
function withReason(Basic: Controller): Controller {
  if ("reason" in new Basic().signal) return Basic;
  return class extends Basic {
    override abort(reason: unknown = abortError()): void {
      const { signal } = this;
      if (!signal.aborted) Object.defineProperty(signal, "reason", { value: reason });
      super.abort();
    }

    override get signal(): AbortSignal {
      return completeSignal(super.signal);
    }
  };
}

export const CompleteController = AppController && withReason(AppController);
