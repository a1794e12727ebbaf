import type { Check } from "../../check.ts";
import type { Session } from "../../session.ts";
import { checkRows } from "../expectations.ts";
import { badInput, mustRespondWith, noSize, submissionChecks, unreachable } from "./check-rows.ts";

/** URL on a host that exists, because the service also refuses images that it cannot fetch. */
const image = "https://example.com/";

const texts = [
  { field: "prompt", max: 1_000, rule: "request.prompt.max-length" },
  { field: "style_hint", max: 500, rule: "request.style-hint.max-length" },
  { field: "negative_prompt", max: 500, rule: "request.negative-prompt.max-length" },
] as const;

export const fieldChecks: readonly Check[] = [
  ...texts.flatMap(({ field, max, rule }) =>
    submissionChecks({
      [`text.${field}.length`]: {
        title: `Takes ${field} as null and with ${max} characters, and refuses more`,
        rules: [rule],
        taken: [{ [field]: null }, { [field]: "x".repeat(max) }],
        refused: [{ [field]: "x".repeat(max + 1) }],
      },
    }),
  ),
  ...submissionChecks({
    "text.person_url.length": {
      title: "Takes person_url with 2000 characters, and refuses more",
      rules: ["request.person-url.max-length"],
      // The service prefers the person in base64, so that it fetches nothing.
      taken: [{ person_url: image.padEnd(2_000, "x") }],
      refused: [{ person_url: image.padEnd(2_001, "x") }],
    },
    "metadata.keys": {
      title: "Takes metadata as null and with 8 keys, and refuses more",
      rules: ["request.metadata.max-keys"],
      taken: [{ metadata: null }, { metadata: metadataKeys(8) }],
      refused: [{ metadata: metadataKeys(9) }],
    },
    "metadata.length": {
      title:
        "Takes fewer than 256 characters in an entry of metadata, and refuses more in both parts",
      rules: ["request.metadata.max-length"],
      // It is open what counts: the name, the value or its JSON.
      taken: [{ metadata: { note: "x".repeat(250) } }],
      refused: [{ metadata: { ["k".repeat(257)]: "x".repeat(257) } }],
    },
    "metadata.what-is-counted": {
      title: "Takes values of any type in metadata, and counts names and the JSON of values",
      rules: ["request.metadata.what-is-counted"],
      taken: [
        { metadata: { a: null, b: true, c: -1.5, d: [1, ["x"]], e: { f: {} } } },
        { metadata: { ["k".repeat(256)]: 1 } },
        { metadata: { note: "x".repeat(256) } },
      ],
      refused: [
        { metadata: { ["k".repeat(257)]: 1 } },
        { metadata: { note: "x".repeat(257) } },
        { metadata: { list: ["x".repeat(253)] } },
      ],
    },
    "seed.range": {
      title: "Takes seed as null and whole from 0 to 2147483647, and refuses others",
      rules: ["request.seed.range"],
      taken: [{ seed: null }, { seed: 0 }, { seed: 2_147_483_647 }],
      refused: [{ seed: -1 }, { seed: 2_147_483_648 }, { seed: 1.5 }],
    },
    "output-size.values": {
      title: "Takes the sizes 1K, 2K and 4K, and refuses others",
      rules: ["request.output-size.values"],
      taken: [{ output_size: "1K" }, { output_size: "2K" }, { output_size: "4K" }],
      refused: [{ output_size: "8K" }, { output_size: 2 }],
    },
    "unknown-properties": {
      title: "Takes unknown properties",
      rules: ["request.unknown-properties.accepted"],
      taken: [{ contract_note: "x", contract_list: [{ a: 1 }] }],
    },
    "types.refused": {
      title: "Refuses values of a type that cannot be converted",
      rules: ["request.types.strictness"],
      refused: [
        { prompt: 5 },
        { garment_images_b64: "x" },
        { metadata: [1] },
        { wait: "maybe" },
        { seed: "seven" },
      ],
    },
    "output-size.any-case": {
      title: "Takes sizes in lower case",
      rules: ["request.output-size.any-case"],
      taken: [{ output_size: "1k" }, { ...noSize, resolution: "2k" }],
    },
    "output-size.aliases.known": {
      title: "Refuses an unknown size in resolution and size",
      rules: ["request.output-size.aliases"],
      refused: [
        { ...noSize, resolution: "8K" },
        { ...noSize, size: "8K" },
      ],
    },
  }),
  ...checkRows("safe", 32, {
    "text.webhook_url.length": {
      title: "Takes webhook_url as null and with 2000 characters, and refuses more",
      rules: ["request.webhook-url.max-length"],
      async run(session) {
        await mustRespondWith(session, 200, { webhook_url: null });
        const hook = await findHookUrl(session);
        if (hook !== undefined) {
          await mustRespondWith(session, 200, { webhook_url: hook.padEnd(2_000, "x") });
        }
        const webhook_url = (hook ?? unreachable).padEnd(2_001, "x");
        await mustRespondWith(session, badInput, { webhook_url });
      },
    },
  }),
];

/** Finds a URL for webhooks that can be made longer. @returns undefined where the deployment takes none. */
async function findHookUrl({ context, http }: Session): Promise<string | undefined> {
  if (context.receiver === undefined) return undefined;
  const { url } = http.openHook();
  const response = await http.submit({ webhook_url: url });
  return response.status === 200 ? `${url}?x=` : undefined;
}

function metadataKeys(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_unused, index) => [`key${index}`, "x"]),
  );
}
