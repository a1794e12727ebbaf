/** Colors for a terminal. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly blue: (text: string) => string;
}

const plain = (text: string): string => text;

const painted =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001B[${on}m${text}\u001B[${off}m`;

export const noPaint: Paint = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  blue: plain,
};

export const colors: Paint = {
  bold: painted(1, 22),
  dim: painted(2, 22),
  red: painted(31, 39),
  green: painted(32, 39),
  yellow: painted(33, 39),
  blue: painted(34, 39),
};
