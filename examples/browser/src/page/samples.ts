/** A picture of ours, for those who have none at hand. */
export interface Sample {
  readonly name: string;
  readonly url: string;
}

export const people: readonly Sample[] = [
  { name: "a person", url: new URL("../../../assets/person.jpg", import.meta.url).href },
];

export const garments: readonly Sample[] = [
  { name: "a shirt", url: new URL("../../../assets/shirt.png", import.meta.url).href },
  { name: "a jacket", url: new URL("../../../assets/jacket.webp", import.meta.url).href },
  { name: "a hat", url: new URL("../../../assets/hat.png", import.meta.url).href },
];
