import type { ComponentChildren, ComponentProps, TargetedSubmitEvent, VNode } from "preact";

import { amount } from "./format.ts";
import { page } from "./page-model.ts";

interface CardProps {
  readonly name: string;
  readonly title: string;
  readonly side?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ name, title, side, children }: CardProps) {
  return (
    <section class={`card ${name}`} aria-labelledby={`${name}-title`}>
      <div class="card-head row wrap apart">
        <h2 id={`${name}-title`}>{title}</h2>
        {side}
      </div>
      {children}
    </section>
  );
}

export function Table({ heads, children }: { heads: string[]; children: ComponentChildren }) {
  return (
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col" class={head === heads.at(-1) ? "number" : ""}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface ActionProps extends Omit<ComponentProps<"button">, "type"> {
  /** Returns the text of a notice, if there is one to show. */
  readonly run: () => Promise<unknown>;
}

export function Action({ run, ...attributes }: ActionProps) {
  return <button type="button" onClick={() => void page.run(run)} {...attributes} />;
}

export type FormValues = Readonly<Partial<Record<string, string>>>;

interface FormProps {
  readonly run: (values: FormValues) => Promise<unknown>;
  readonly class: string;
  readonly button: string;
  readonly buttonClass?: string;
  readonly children: ComponentChildren;
}

export function Form({ run, class: name, button, buttonClass = "", children }: FormProps) {
  const send = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values: Record<string, string> = {};
    for (const [field, value] of new FormData(event.currentTarget)) {
      if (typeof value === "string") values[field] = value.trim();
    }
    void page.run(() => run(values));
  };
  return (
    <form class={name} onSubmit={send}>
      {children}
      <button type="submit" class={buttonClass}>
        {button}
      </button>
    </form>
  );
}

export function SecondsInput(props: { placeholder: string; required?: true }) {
  const label = "Duration in seconds";
  return <input name="seconds" type="number" min={0} step="any" aria-label={label} {...props} />;
}

export function milliseconds(seconds: string | undefined): number {
  return Math.round(Number(seconds) * 1_000);
}

const pillColors: Readonly<Record<string, string>> = {
  queued: "quiet",
  running: "busy",
  succeeded: "good",
  failed: "bad",
  pending: "busy",
  delivered: "good",
  "given-up": "bad",
  broken: "bad",
  "2xx": "good",
  "4xx": "warn",
  "5xx": "bad",
};

export function Pill({ status }: { readonly status: string }) {
  const color = pillColors[status] ?? pillColors[status.replace(/\d\d$/, "xx")] ?? "quiet";
  return <span class={`pill ${color}`}>{status.replace("-", " ")}</span>;
}

export function Empty({ text, hint }: { text: string; hint?: string | undefined }) {
  return (
    <div class="empty muted">
      <p>{text}</p>
      {hint !== undefined && <p class="details">{hint}</p>}
    </div>
  );
}

interface ListProps {
  /** Rows with keys. */
  readonly rows: readonly VNode[];
  readonly total?: number;
  /** After a change of it, rows with the same keys are others. */
  readonly generation?: number;
  /** Texts of an empty list. */
  readonly text: string;
  readonly hint?: string;
}

export function List({ rows, total = rows.length, generation = 0, text, hint }: ListProps) {
  return (
    <>
      {rows.length === 0 && <Empty text={text} hint={hint} />}
      <ul key={generation}>
        {rows.map((row) => (
          <li key={row.key}>{row}</li>
        ))}
      </ul>
      <More shown={rows.length} total={total} />
    </>
  );
}

export function More({ shown, total }: { shown: number; total: number }) {
  if (shown >= total) return null;
  return (
    <p class="more details">
      The newest {shown} of {amount(total)}.
    </p>
  );
}

interface MessageProps {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly noBody: string;
}

export function Message({ title, headers, body, noBody }: MessageProps) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div>
      <h3>{title}</h3>
      <pre>{lines.join("\n")}</pre>
      {body === null || body === "" ? <p class="details">{noBody}</p> : <pre>{indented(body)}</pre>}
    </div>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export function JobLink({ jobId }: { readonly jobId: string }) {
  return (
    <a class="mono" href={`#${jobId}`} title={jobId}>
      {jobId.length <= 14 ? jobId : `${jobId.slice(0, 10)}…`}
    </a>
  );
}
