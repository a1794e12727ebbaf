import type { Check } from "../../check.ts";
import { submissionCheck } from "./submission-check.ts";

const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`key${index}`, "x"]));

/** What the fields of a submission may be that hold neither images nor words. */
export const fieldBounds: readonly Check[] = [
  submissionCheck({
    id: "metadata.keys",
    title: "Takes metadata as null and with 8 keys, and no more than that",
    rules: ["request.metadata.max-keys"],
    taken: [
      ["metadata null", { metadata: null }],
      ["8 keys in metadata", { metadata: keys(8) }],
    ],
    refused: [["9 keys in metadata", { metadata: keys(9) }]],
  }),
  submissionCheck({
    id: "metadata.length",
    title: "Takes 256 characters in an entry of metadata, and no more than that",
    rules: ["request.metadata.max-length"],
    taken: [["256 characters in an entry of metadata", { metadata: { note: "x".repeat(256) } }]],
    refused: [["257 characters in an entry of metadata", { metadata: { note: "x".repeat(257) } }]],
  }),
  submissionCheck({
    id: "metadata.what-is-counted",
    title: "Takes values of any type in metadata, and counts names and the JSON text of values",
    rules: ["request.metadata.what-is-counted"],
    taken: [
      [
        "values of every type in metadata",
        { metadata: { a: null, b: true, c: -1.5, d: [1, ["x"]], e: { f: {} } } },
      ],
      ["a name of 256 characters in metadata", { metadata: { ["k".repeat(256)]: 1 } }],
    ],
    refused: [
      ["a name of 257 characters in metadata", { metadata: { ["k".repeat(257)]: 1 } }],
      ["a list of 257 characters in metadata", { metadata: { list: ["x".repeat(253)] } }],
    ],
  }),
  submissionCheck({
    id: "seed.range",
    title: "Takes seed as null and from 0 to 2147483647, whole, and nothing beyond",
    rules: ["request.seed.range"],
    taken: [
      ["seed null", { seed: null }],
      ["the seed 0", { seed: 0 }],
      ["the seed 2147483647", { seed: 2_147_483_647 }],
    ],
    refused: [
      ["the seed -1", { seed: -1 }],
      ["the seed 2147483648", { seed: 2_147_483_648 }],
      ["the seed 1.5", { seed: 1.5 }],
    ],
  }),
  submissionCheck({
    id: "output-size.values",
    title: "Takes the sizes 1K, 2K and 4K, and no other",
    rules: ["request.output-size.values"],
    taken: [
      ["output_size 1K", { output_size: "1K" }],
      ["output_size 2K", { output_size: "2K" }],
      ["output_size 4K", { output_size: "4K" }],
    ],
    refused: [
      ["output_size 8K", { output_size: "8K" }],
      ["a number for output_size", { output_size: 2 }],
    ],
  }),
  submissionCheck({
    id: "unknown-properties",
    title: "Takes properties that the document does not know",
    rules: ["request.unknown-properties.accepted"],
    taken: [["properties of its own", { contract_note: "x", contract_list: [{ a: 1 }] }]],
  }),
  submissionCheck({
    id: "types.refused",
    title: "Refuses values of a type that no reading makes right",
    rules: ["request.types.strictness"],
    refused: [
      ["a number for prompt", { prompt: 5 }],
      ["a text for garment_images_b64", { garment_images_b64: "x" }],
      ["a list for metadata", { metadata: [1] }],
      ['"maybe" for wait', { wait: "maybe" }],
      ['"seven" for seed', { seed: "seven" }],
    ],
  }),
];
