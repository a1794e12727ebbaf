import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "./encodings.ts";
import type { Cause, CauseFinding } from "./cause.ts";

/** A key that the signer may have used, and what then is wrong with the secret that was given. */
export interface SecretVariant extends CauseFinding {
  readonly key: string | Uint8Array<ArrayBuffer>;
}

const prefix = "whsec_";
const paddings = ["\n", "\r\n", " ", "\t"] as const;
const quotes = ['"', "'", "`"] as const;

/** Every key that one mistake makes of a secret. */
export function secretVariants(secret: string): readonly SecretVariant[] {
  const rest = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const variants: SecretVariant[] = [
    ...texts("secret_padded", [withoutPadding(secret), secret.trim(), secret.trimEnd()]),
    { cause: "secret_prefix_missing", key: `${prefix}${secret}` },
    ...texts("secret_prefix_doubled", rest?.startsWith(prefix) ? [rest] : []),
    ...texts("secret_prefix_unused", rest === undefined ? [] : [rest]),
    ...decoded(secret),
    ...(rest === undefined ? [] : decoded(rest)),
    ...encoded(secret),
    ...texts("secret_list_joined", secret.split(/[\s,;]+/)),
    ...texts(
      "secret_unpadded",
      paddings.flatMap((padding) => [`${secret}${padding}`, `${padding}${secret}`]),
    ),
    ...texts(
      "secret_unpadded",
      quotes.map((quote) => `${quote}${secret}${quote}`),
    ),
  ];
  // The first to make a key says why: what quotes hide is padding before it is anything else.
  const seen: Array<string | Uint8Array> = [secret];
  return variants.filter(({ key }) => {
    if (key.length === 0 || seen.includes(key)) return false;
    seen.push(key);
    return true;
  });
}

/** What can be seen of a secret without trying it. */
export function inspectSecret(secret: string): readonly Cause[] {
  const plain = withoutPadding(secret);
  if (/^svc_(?:live|test)_/.test(plain)) return ["secret_is_api_key"];
  if (
    /^(?:undefined|null|NaN|true|false|changeme|\[object \w+\]|\$\{?\w+\}?|<.+>|\{\{.+\}\}|%\w+%)$/i.test(
      plain,
    )
  ) {
    return ["secret_placeholder"];
  }
  const causes: Cause[] = [];
  if (plain !== secret) causes.push("secret_padded");
  if (/[\s,;]/.test(plain)) causes.push("secret_list_joined");
  if (plain.startsWith(`${prefix}${prefix}`)) causes.push("secret_prefix_doubled");
  if (!plain.startsWith(prefix)) causes.push("secret_prefix_missing");
  return causes;
}

/** Also takes off a line break that an env file holds as the two characters `\n`. */
function withoutPadding(secret: string): string {
  return secret.replace(/^(?:[\s"'`]|\\[nrt])+|(?:[\s"'`]|\\[nrt])+$/g, "");
}

function texts(cause: Cause, keys: readonly string[]): readonly SecretVariant[] {
  return keys.map((key) => ({ cause, key }));
}

function decoded(secret: string): readonly SecretVariant[] {
  const hex = decodeHex(secret);
  const base64 = decodeBase64(secret);
  return [
    ...(hex === undefined ? [] : [variant("secret_encoded", "from hexadecimal", hex)]),
    ...(base64 === undefined ? [] : [variant("secret_encoded", "from base64", base64)]),
  ];
}

function encoded(secret: string): readonly SecretVariant[] {
  const bytes = new TextEncoder().encode(secret);
  return [
    variant("secret_decoded", "base64", encodeBase64(bytes)),
    variant("secret_decoded", "hexadecimal", encodeHex(bytes)),
  ];
}

function variant(cause: Cause, detail: string, key: SecretVariant["key"]): SecretVariant {
  return { cause, detail, key };
}
