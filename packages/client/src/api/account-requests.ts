import type {
  AccountResponse,
  paths,
  PurchaseWithSPTRequest,
  PurchaseWithSPTResponse,
  TryOnListResponse,
} from "@tryon/spec/openapi";
import type { JobData } from "../types/job.ts";
import { isJob, type Api, type Caller } from "./api.ts";
import { isRecord } from "./canonical-fields.ts";

type ListParameters = NonNullable<paths["/api/v1/tryon"]["get"]["parameters"]["query"]>;
type ListQuery = { readonly [Name in keyof ListParameters]: ListParameters[Name] | undefined };

type JobsData = Pick<TryOnListResponse, "next_cursor"> & { readonly jobs: readonly JobData[] };

export async function listJobs(api: Api, query: ListQuery, caller: Caller) {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  // Values of queries are numbers and strings.
  const search = new URLSearchParams(parameters as [string, string][]).toString();
  const request = api.request("GET /api/v1/tryon");
  const url = request.url + (search && `?${search}`);
  const { data, response } = await api.send<JobsData>({ ...request, url }, caller, isJobList);
  // Some services end a list with an empty cursor.
  return { data: { ...data, next_cursor: data.next_cursor || null }, response };
}

export async function getAccount(api: Api, caller: Caller) {
  const request = api.request("GET /api/v1/account");
  const account = await api.send<AccountResponse>(request, caller, isRecord);
  const { rate_limit_per_min: limit } = account.data;
  if (limit > 0) api.http.rateLimiter.limit = limit;
  return account;
}

export function purchaseCredits(api: Api, purchase: PurchaseWithSPTRequest, caller: Caller) {
  const request = api.request("POST /api/v1/credits/purchase", JSON.stringify(purchase));
  const call = { ...caller, purpose: "purchase" } as const;
  return api.send<PurchaseWithSPTResponse>(request, call, isRecord);
}

function isJobList(json: unknown): boolean {
  return isRecord(json) && Array.isArray(json["jobs"]) && json["jobs"].every(isJob);
}
