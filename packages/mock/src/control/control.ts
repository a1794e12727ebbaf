import type { DeliveryAttemptPlan } from "../service/context.ts";
import { closedEarly, connectionReset } from "../http/broken-connection.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { milliseconds, type Duration } from "../system/duration.ts";
import type { Clock } from "../system/timers.ts";
import type { ServerStateClock } from "../system/system.ts";
import { faultResponse } from "./fault-response.ts";
import { Faults, type FaultsState } from "./faults.ts";
import { gatewayNamed, gatewayResponse, type GatewayName } from "./gateways.ts";
import { Journal, type JournalState } from "./journal.ts";

export interface ControlState {
  readonly faults: FaultsState;
  readonly journal: JournalState;
}

type Work = () => Promise<HttpResponse>;

export class Control {
  readonly faults: Faults;
  readonly journal: Journal;

  constructor(options: { clock: Clock; seed: string; journalLimit: number }) {
    this.faults = new Faults(options.seed);
    this.journal = new Journal(options.clock, options.journalLimit);
  }

  async handleRequest(request: HttpRequest, respond: Work): Promise<HttpResponse> {
    const { journal } = this;
    journal.begin(request);
    try {
      const response = await respond();
      journal.end(request, response);
      return response;
    } catch (error) {
      journal.end(request, null);
      throw error;
    }
  }

  /** Applies faults to a request. The response gets the same headers as one without faults. */
  async applyFaults(
    request: HttpRequest,
    work: Work,
    clock: ServerStateClock,
  ): Promise<HttpResponse> {
    if (this.faults.isEmpty) return work();
    const match = this.faults.matchRequest(request.method, request.path);
    const { delay, fault, faultIds, misses } = match;
    this.journal.note(request, { faultIds, faultMisses: misses });
    if (faultIds.length === 0) return work();
    if (delay > 0) await clock.pass(delay);
    if (fault === undefined) return work();
    const { gateway, reset, cutAfter, status, truncateAt } = fault;
    if (gateway !== undefined) return passGateway(gateway, cutAfter, work, clock);
    if (reset === "before") throw connectionReset();
    let response: HttpResponse | undefined;
    if (cutAfter !== undefined) {
      response = await clock.within(milliseconds(cutAfter), () => clock.during(work));
    } else if (status === undefined) response = await work();
    if (reset === "after") throw connectionReset();
    return { ...(response ?? faultResponse(fault)), truncateAt };
  }

  planWebhook(send: DeliveryAttemptPlan["send"]): DeliveryAttemptPlan {
    const { delay, fault, faultIds } = this.faults.matchWebhook();
    return {
      delay,
      async send(request) {
        if (fault?.drop) throw new Error(`The webhook was dropped by ${faultIds.join(", ")}.`);
        if (fault?.reset === "before") throw connectionReset();
        const response = await send(request);
        if (fault?.reset === "after") throw connectionReset();
        return response;
      },
    };
  }

  snapshot(): ControlState {
    return { faults: this.faults.snapshot(), journal: this.journal.snapshot() };
  }

  restore({ faults, journal }: ControlState): void {
    this.faults.restore(faults);
    this.journal.restore(journal);
  }

  reset(): void {
    this.faults.reset();
    this.journal.reset();
  }
}

/** Responds as a gateway does. What it has forwarded goes on, and the service's response is lost. */
async function passGateway(
  name: GatewayName,
  cutAfter: Duration | undefined,
  work: Work,
  clock: ServerStateClock,
): Promise<HttpResponse> {
  const gateway = gatewayNamed(name);
  const response = gatewayResponse(gateway);
  if (gateway.closes === true) throw closedEarly(response);
  if (gateway.after === undefined) return response;
  // No one receives what it ends with.
  clock.during(work).catch(() => undefined);
  await clock.pass(milliseconds(cutAfter ?? gateway.after));
  return response;
}
