import { parse } from "yaml";

/** Values of the expressions of a workflow, by their text. */
export type Values = Readonly<Record<string, string>>;

/** Command of a workflow, as a runner would start it. */
export interface Command {
  readonly job: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
  readonly matrix: Values;
}

interface Step {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
        readonly steps: readonly Step[];
      }
    >
  >;
}

/**
 * All commands of a workflow in their order, once for each value of the matrix of their job.
 *
 * @param values - Values of expressions other than those of the matrix.
 * @throws Error for an expression without a value.
 */
export function commandsOf(text: string, values: Values): readonly Command[] {
  // The schema of workflows has been checked.
  const { jobs } = parse(text) as Workflow;
  return Object.entries(jobs).flatMap(([job, { strategy, steps }]) =>
    combinations(strategy?.matrix ?? {}).flatMap((matrix) => {
      const known = { ...values, ...matrix };
      return steps.flatMap(({ run, env = {} }) => {
        if (run === undefined) return [];
        const variables = Object.entries(env).map(([name, value]) => [name, filled(value, known)]);
        return [{ job, run: filled(run, known), env: Object.fromEntries(variables), matrix }];
      });
    }),
  );
}

function combinations(matrix: Readonly<Record<string, readonly string[]>>): readonly Values[] {
  let all: readonly Values[] = [{}];
  for (const [name, values] of Object.entries(matrix)) {
    all = all.flatMap((one) => values.map((value) => ({ ...one, [`matrix.${name}`]: value })));
  }
  return all;
}

function filled(text: string, values: Values): string {
  return text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/g, (whole, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`The expression ${whole} has no value.`);
    return value;
  });
}
