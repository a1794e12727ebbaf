import type { Check } from "../../check.ts";
import { SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { Fields } from "../../wire/response.ts";
import { imageUrlCredits, nowhere, imageUrl } from "./image-url.ts";
import { mustRefuse, mustTake, type Variant } from "./submission-check.ts";

/** Other names of a field that holds addresses. */
interface Aliased {
  readonly id: string;
  readonly field: string;
  readonly others: readonly string[];
  readonly rule: string;
  /** What a request has to be without for the field to count. */
  readonly without: Fields;
  /** A value of the field that has this address. */
  readonly value: (address: string) => unknown;
  readonly empty: readonly unknown[];
}

const fields: readonly Aliased[] = [
  {
    id: "person-url",
    field: "person_url",
    others: ["person", "model_url", "input_url"],
    rule: "request.person-url.aliases",
    without: { person_image_b64: undefined },
    value: (address) => address,
    empty: [null, ""],
  },
  {
    id: "garment-urls",
    field: "garment_urls",
    others: ["garments", "clothing", "items"],
    rule: "request.garment-urls.aliases",
    without: { garment_images_b64: undefined },
    value: (address) => [address],
    empty: [[]],
  },
];

/** What other names of the fields with addresses do. */
export const aliases: readonly Check[] = fields.flatMap((aliased): readonly Check[] => [
  {
    id: `aliases.${aliased.id}.read`,
    title: `Takes ${aliased.others.join(", ")} for ${aliased.field}`,
    rules: [aliased.rule],
    level: "safe",
    on: "any",
    credits: imageUrlCredits + 8 * aliased.others.length,
    run: (session) => others(session, aliased),
  },
  {
    id: `aliases.${aliased.id}.canonical-first`,
    title: `Looks at other names of ${aliased.field} only where that is empty`,
    rules: [aliased.rule],
    level: "safe",
    on: "any",
    credits: imageUrlCredits + 24,
    run: (session) => canonicalFirst(session, aliased),
  },
  {
    id: `aliases.${aliased.id}.precedence`,
    title: `Takes the first of other names of ${aliased.field}, and an empty value for none`,
    rules: ["request.aliases.precedence"],
    level: "safe",
    on: "any",
    credits: imageUrlCredits + 8 * (1 + aliased.empty.length),
    run: (session) => precedence(session, aliased),
  },
]);

async function others(session: Session, aliased: Aliased): Promise<void> {
  const address = await imageUrl(session);
  for (const name of aliased.others) {
    await take(session, aliased, [`${name} alone`, { [name]: aliased.value(address) }]);
  }
}

async function canonicalFirst(session: Session, aliased: Aliased): Promise<void> {
  const { field, others: names, value, without } = aliased;
  const address = await imageUrl(session);
  const [other = ""] = names;
  const beside = { [field]: value(address), [other]: value(nowhere) };
  await take(session, aliased, [
    `an address in ${field} beside one of nothing in ${other}`,
    beside,
  ]);
  const alone = await session.submit({ ...without, [field]: value(nowhere) });
  if (alone.status === 200)
    throw new SkipCheck("The deployment takes an address at which nothing is.");
  const turned = { [field]: value(nowhere), [other]: value(address) };
  await mustRefuse(session, `an address of nothing in ${field} beside a good ${other}`, {
    ...without,
    ...turned,
  });
}

async function precedence(session: Session, aliased: Aliased): Promise<void> {
  const { field, others: names, value, empty } = aliased;
  const address = await imageUrl(session);
  const [first = "", ...later] = names;
  const rest = Object.fromEntries(later.map((name) => [name, value(nowhere)]));
  await take(session, aliased, [
    `an address in ${first} beside ones of nothing in ${later.join(" and ")}`,
    { [first]: value(address), ...rest },
  ]);
  for (const nothing of empty) {
    await take(session, aliased, [
      `${JSON.stringify(nothing)} in ${field} beside an address in ${first}`,
      { [field]: nothing, [first]: value(address) },
    ]);
  }
}

async function take(
  session: Session,
  { without }: Aliased,
  [what, wanted]: Variant,
): Promise<void> {
  await mustTake(session, what, { ...without, ...wanted });
}
