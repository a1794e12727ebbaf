import { ApiError } from "./request-errors.ts";
import { isBranded, type ApiErrorCode } from "./tryon-error.ts";

/** Class for `instanceof`, which finds errors of every copy of this package. */
export interface ErrorClass<Instance> {
  readonly prototype: Instance;
  new (...given: never): Instance;
  /** Returns true for errors of its codes, also for those of another copy. */
  [Symbol.hasInstance](error: unknown): error is Instance;
}

/** Response of the service with an error status. */
interface Refusal<Code extends ApiErrorCode> extends ApiError {
  readonly code: Code;
  readonly status: number;
}

/** 400: the service refuses the request, such as an image that it cannot fetch. */
export interface BadRequestError extends Refusal<"bad_request"> {}

/** 401: unknown key. Behind a proxy: not signed in. */
export interface AuthenticationError extends Refusal<"unauthorized"> {}

/** 402: the balance is below the price of the size. */
export interface InsufficientCreditsError extends Refusal<"insufficient_credits"> {}

/** 402 or 409 of a purchase: declined, or the token has paid before, with the `balance`. */
export interface PaymentError extends Refusal<"payment_failed" | "purchase_already_processed"> {}

/** 403: the key is disabled or revoked, or its account suspended. */
export interface PermissionDeniedError extends Refusal<"forbidden"> {}

/** 404: the key has no such job. */
export interface NotFoundError extends Refusal<"not_found"> {}

/** 409: the idempotency key was used for another body. `recover()` sends the same body again. */
export interface ConflictError extends Refusal<"idempotency_conflict"> {}

/** 413: a gateway refuses bodies of this size. */
export interface PayloadTooLargeError extends Refusal<"payload_too_large"> {}

/** 422: a field has a wrong type or length. `issues` has the fields that the service names. */
export interface UnprocessableEntityError extends Refusal<"validation_failed"> {}

/**
 * 429, or no response: the client does not send a request that would wait for the rate limit until its time limit. `retryAfter`
 * has the seconds to wait.
 */
export interface RateLimitError extends ApiError {
  readonly code: "rate_limited";
}

/** 429 of a proxy: the service has refused the images of this user too often. `retryAfter` has the seconds to wait. */
export interface TooManyRefusalsError extends Refusal<"too_many_refusals"> {}

/** 5xx for the last attempt. `recover()` finds out the outcome of a submission. */
export interface InternalServerError extends Refusal<"server_error" | "unavailable"> {}

function classOf<Instance extends ApiError>(...codes: Instance["code"][]): ErrorClass<Instance> {
  const Class = class extends ApiError {
    static override [Symbol.hasInstance](error: unknown): boolean {
      // The cast is for the type of the argument.
      return isBranded(error) && codes.includes(error.code as Instance["code"]);
    }
  };
  // The client creates only instances of `ApiError`. These classes are for `instanceof`.
  return Class as unknown as ErrorClass<Instance>;
}

/** Class of the errors of a 400, for `instanceof`. */
export const BadRequestError = /* @__PURE__ */ classOf<BadRequestError>("bad_request");
/** Class of the errors of a 401, for `instanceof`. */
export const AuthenticationError = /* @__PURE__ */ classOf<AuthenticationError>("unauthorized");
/** Class of the errors of a 402, for `instanceof`. */
export const InsufficientCreditsError =
  /* @__PURE__ */ classOf<InsufficientCreditsError>("insufficient_credits");
/** Class of the errors of a purchase, for `instanceof`. */
export const PaymentError = /* @__PURE__ */ classOf<PaymentError>(
  "payment_failed",
  "purchase_already_processed",
);
/** Class of the errors of a 403, for `instanceof`. */
export const PermissionDeniedError = /* @__PURE__ */ classOf<PermissionDeniedError>("forbidden");
/** Class of the errors of a 404, for `instanceof`. */
export const NotFoundError = /* @__PURE__ */ classOf<NotFoundError>("not_found");
/** Class of the errors of a 409, for `instanceof`. */
export const ConflictError = /* @__PURE__ */ classOf<ConflictError>("idempotency_conflict");
/** Class of the errors of a 413, for `instanceof`. */
export const PayloadTooLargeError =
  /* @__PURE__ */ classOf<PayloadTooLargeError>("payload_too_large");
/** Class of the errors of a 422, for `instanceof`. */
export const UnprocessableEntityError =
  /* @__PURE__ */ classOf<UnprocessableEntityError>("validation_failed");
/** Class of the errors of a 429, for `instanceof`. */
export const RateLimitError = /* @__PURE__ */ classOf<RateLimitError>("rate_limited");
/** Class of the errors of a proxy with `maxRefusals`, for `instanceof`. */
export const TooManyRefusalsError =
  /* @__PURE__ */ classOf<TooManyRefusalsError>("too_many_refusals");
/** Class of the errors of a 5xx, for `instanceof`. */
export const InternalServerError = /* @__PURE__ */ classOf<InternalServerError>(
  "server_error",
  "unavailable",
);
