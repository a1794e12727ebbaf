import { fieldsOf, type Item, type Scene } from "./scene.ts";

/** The pause after a 429, in milliseconds; undefined where the client gives up. It takes how many came before. */
type Pause = (earlier: number, headers: Headers, random: () => number) => number | undefined;

/** How a client goes about a job that polls each by itself at a fixed pace. */
export interface PollingHabits {
  /** The pause between an answer and the next look, in milliseconds. The first look is at once. */
  readonly interval: number;
  readonly afterSubmission: Pause;
  readonly afterLook: Pause;
  /** Whether the result is asked for once more when the job has ended. */
  readonly asksForResult: boolean;
}

/** Pauses that double from a second on, by chance up to a quarter off; what the service asks for is not looked at. */
function doubling(retries: number, longest: number): Pause {
  return (earlier, _headers, random) => {
    if (earlier >= retries) return undefined;
    const pause = Math.min(1_000 * 2 ** earlier, longest);
    return pause + pause * 0.25 * (random() * 2 - 1);
  };
}

/** Five more attempts without any pause: its delay is no whole number, and it sleeps for whole numbers alone. */
const atOnce: Pause = (earlier) => (earlier < 5 ? 0 : undefined);

/** What the service asks for, unless that is a minute or more; then, as without it, 2 to 6 seconds less up to a quarter. */
const asAsked: Pause = (earlier, headers, random) => {
  if (earlier >= 3) return undefined;
  const asked = Number.parseFloat(headers.get("retry-after") ?? "") * 1_000;
  if (asked > 0 && asked < 60_000) return asked;
  return Math.min(2 * 2 ** earlier, 6) * (1 - random() * 0.25) * 1_000;
};

/** As their sources read, at the versions that the other figures are about. */
export const pollingClients = {
  fal: {
    interval: 500,
    afterSubmission: doubling(3, 60_000),
    afterLook: doubling(5, 30_000),
    asksForResult: true,
  },
  replicate: { interval: 500, afterSubmission: atOnce, afterLook: atOnce, asksForResult: false },
  fashn: { interval: 1_000, afterSubmission: asAsked, afterLook: asAsked, asksForResult: false },
} as const satisfies Readonly<Record<string, PollingHabits>>;

/** The pause after which a caller takes a call up again that its client has given up, in milliseconds. */
export const callersPause = 5_000;

/** Works on an item as such a client does. */
export async function pollFor(item: Item, habits: PollingHabits, scene: Scene): Promise<void> {
  const { interval, afterSubmission, afterLook, asksForResult } = habits;
  const body = JSON.stringify({ ...fieldsOf(item), wait: false });
  const { job_id: id } = await ask(scene, "", afterSubmission, { method: "POST", body });
  const path = `/${String(id)}`;
  for (;;) {
    const { status } = await ask(scene, path, afterLook);
    if (status === "succeeded") break;
    await scene.clock.sleep(interval);
  }
  if (asksForResult) await ask(scene, path, afterSubmission);
  scene.came(item.index);
}

/** Asks until there is an answer: the client as long as it tries, and then the caller once more. */
async function ask(scene: Scene, path: string, pauseAfter: Pause, init: RequestInit = {}) {
  const { apiKey, baseUrl, clock, random } = scene;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  for (let earlier = 0; ; earlier += 1) {
    const response = await scene.fetch(`${baseUrl}/api/v1/tryon${path}`, { ...init, headers });
    // What the server answers is typed by the contract.
    if (response.ok) return (await response.json()) as { job_id?: unknown; status?: unknown };
    if (response.status !== 429) throw new Error(`Got ${response.status} in place of 200.`);
    const pause = pauseAfter(earlier, response.headers, random);
    if (pause === undefined) {
      scene.gaveUp();
      earlier = -1;
    }
    await clock.sleep(pause ?? callersPause);
  }
}
