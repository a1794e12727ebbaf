import type { Announcement, KeyUse } from "../announcement.ts";
import type { Paint } from "../report/paint.ts";
import { printableLine } from "../report/printable.ts";
import { things } from "../report/summary.ts";

/** Says what a run is going to do, on which keys, and what it may spend. */
export function announce(announcement: Announcement, paint: Paint): string {
  const { baseUrl, level, checks, probes, keys, virtualTime, webhooks } = announcement;
  const work = `level ${level}: ${things(checks, "check")}, ${things(probes, "open point")}`;
  const lines = [
    paint.bold(`Looking at ${printableLine(baseUrl)}`),
    `  ${work}`,
    `  keys: ${keys.map(keyWords).join(", ")}`,
    `  ${spending(announcement)}`,
    `  time is ${virtualTime ? "moved, not waited for" : "waited for"}; webhooks ${webhooks ? "come to this machine" : "are not looked at (--webhook-url)"}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

const purposes: Readonly<Record<KeyUse["name"], string>> = {
  live: "live",
  test: "test",
  stranger: "another account's",
  disabled: "disabled",
  flagged: "flagged",
};

function keyWords({ name, kind, made }: KeyUse): string {
  const kinds = name === "live" || name === "test" ? [] : [kind];
  return `${purposes[name]} (${[...kinds, made ? "made for this run" : "yours"].join(", ")})`;
}

function spending({ credits: { planned, most }, keys, reference }: Announcement): string {
  const live = keys.some(({ kind }) => kind === "live");
  if (!live) return "spends nothing: there is no live key";
  const bound = Math.min(planned, most);
  if (bound === 0) return "spends nothing: nothing of this is charged";
  const where = reference ? " of a reference server, which are worth nothing" : "";
  const left = planned > most ? `; all would take ${planned}, so some checks may be left out` : "";
  return `spends at most ${things(bound, "credit")}${where}${left}`;
}
