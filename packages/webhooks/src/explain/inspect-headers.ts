import { headerValues } from "../verification/header-values.ts";
import type { CauseFinding } from "./cause.ts";
import type { Delivery } from "./delivery.ts";
import { isOfOtherService, readSignature } from "./signature-reading.ts";
import type { SignatureReading } from "./signature-reading.ts";

/** What signature headers of all kinds of services are called; only such names are ever told. */
const signatureLike = /^x-[a-z0-9-]{0,60}(?:signature|hmac|digest)[a-z0-9-]{0,20}$/;
const mostNames = 5;

/** Why there is no signature header. */
export function missingSignature({ headers }: Delivery): readonly CauseFinding[] {
  const names = namesOf(headers);
  if (names.length === 0) return [{ cause: "headers_missing" }];
  if (names.some((name) => /^(?:http_)?x_service_signature$/.test(name))) {
    return [{ cause: "signature_header_renamed" }];
  }
  const others = [...new Set(names.filter((name) => signatureLike.test(name)))];
  const found = others.slice(0, mostNames).join(", ");
  const service = names.filter((name) => /^x-service-(?:event|job-id)$/.test(name));
  const came = service.length === 0 ? undefined : `but ${service.join(" and ")} came`;
  return [
    { cause: "signature_header_missing", detail: came },
    ...(found === "" ? [] : [{ cause: "signature_header_other" as const, detail: found }]),
  ];
}

/** What is wrong with a signature header that is there. */
export function givenSignature({ headers }: Delivery): SignatureReading {
  const values = headerValues({ headers, body: undefined }, /^x-service-/i)("x-service-signature");
  const [first, ...more] = values.flatMap((value) =>
    typeof value === "string" && !isOfOtherService(value) ? value.split(",") : [value],
  );
  if (more.length === 0) return readSignature(first);
  const all = [first, ...more].map((value) => String(value).trim());
  if (new Set(all).size > 1) return { causes: ["signature_contradicted"], target: undefined };
  const { causes, target } = readSignature(all[0]);
  return { causes: ["signature_repeated", ...causes], target };
}

/** Which of the other headers contradict the body that was signed. */
export function contradictingHeaders(
  { headers }: Delivery,
  event: Readonly<Record<string, unknown>>,
): readonly CauseFinding[] {
  const fields = [
    ["x-service-event", "event", "header_event_differs"],
    ["x-service-job-id", "job_id", "header_job_id_differs"],
  ] as const;
  return fields.flatMap(([name, field, cause]) => {
    const values = headerValues({ headers, body: undefined }, /^x-service-/i)(name);
    const signed = event[field];
    if (typeof signed !== "string" || values.every((value) => value === signed)) return [];
    return [{ cause, detail: likeness(values, signed) }];
  });
}

function likeness(values: readonly unknown[], signed: string): string | undefined {
  if (values.length > 1) return "it came more than once";
  const [value] = values;
  if (typeof value !== "string") return undefined;
  if (value.trim() === signed) return "it has white space around it";
  return value.toLowerCase() === signed.toLowerCase() ? "in another case" : undefined;
}

function namesOf(headers: unknown): readonly string[] {
  try {
    // What is no object throws, and has no names.
    const given = headers as object;
    const pairs: Iterable<readonly unknown[]> =
      Symbol.iterator in given ? (given as Iterable<readonly unknown[]>) : Object.entries(given);
    return [...pairs].map(([name]) => String(name).toLowerCase());
  } catch {
    return [];
  }
}
