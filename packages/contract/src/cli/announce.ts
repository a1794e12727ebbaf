import type { Announcement, KeyUse } from "../announcement.ts";
import type { Paint } from "../report/paint.ts";
import { printableLine } from "../report/printable.ts";
import { plural } from "../report/model.ts";

/** Describes a run before it starts: checks, keys and maximum cost. */
export function announce(announcement: Announcement, paint: Paint): string {
  const { baseUrl, level, checks, probes, keys, virtualTime, webhooks } = announcement;
  const work = `level ${level}: ${plural(checks, "check")}, ${plural(probes, "open point")}`;
  const lines = [
    paint.bold(`Checking ${printableLine(baseUrl)}`),
    `  ${work}`,
    `  keys: ${keys.map(keyWords).join(", ")}`,
    `  ${spending(announcement)}`,
    `  time is ${virtualTime ? "virtual" : "real"}; webhooks ${webhooks ? "arrive on this machine" : "are not checked (use --webhook-url)"}`,
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
  return `${purposes[name]} (${[...kinds, made ? "created for this run" : "yours"].join(", ")})`;
}

function spending({ credits: { planned, max }, keys, reference }: Announcement): string {
  const live = keys.some(({ kind }) => kind === "live");
  if (!live) return "spends nothing: no key is live";
  const bound = Math.min(planned, max);
  if (bound === 0) return "spends nothing: all checks are free";
  const where = reference ? " of a reference server, which cost nothing" : "";
  const left = planned > max ? `; all checks would take ${planned}, so some may not run` : "";
  return `spends at most ${plural(bound, "credit")}${where}${left}`;
}
