// Declarations that the examples of docstrings assume, since they show one call each: the app around it, and the names of
// the packages that a docstring of a method need not import again.
import type { writeFile as writeFileOfNode } from "node:fs/promises";

import type * as client from "@tryon/client";
import type * as pages from "@tryon/client/proxy";
import type * as contract from "@tryon/contract";
import type * as mocks from "@tryon/mock";
import type * as webhooks from "@tryon/webhooks";
import type { default as expressOfApps, Express } from "express";
import type { test as testOfVitest } from "vitest";

interface User {
  readonly id: string;
}

declare global {
  type Middleware = client.Middleware;
  type QuotaStore = pages.QuotaStore;
  type ReceiverStore = webhooks.ReceiverStore;
  type TryOnInput = client.TryOnInput;

  const TryOn: typeof client.TryOn;
  const isTryOnError: typeof client.isTryOnError;
  const createProxy: typeof pages.createProxy;
  const createQuota: typeof pages.createQuota;
  const runContract: typeof contract.runContract;
  const assertPassed: typeof contract.assertPassed;
  const formatReport: typeof contract.formatReport;
  const recorder: typeof contract.recorder;
  const expect: (value: unknown) => { readonly toBe: (other: unknown) => void };
  const test: typeof testOfVitest;
  const writeFile: typeof writeFileOfNode;

  const tryon: client.TryOn;
  const page: client.PageClient;
  const saved: string;
  const mock: mocks.Mock;
  const apiKey: string;
  const baseUrl: string;
  const error: unknown;
  const ids: readonly string[];
  const input: client.TryOnInput;
  const inputs: readonly (client.TryOnInput & { readonly sku: string })[];
  const job: client.Job;
  const person: Blob;
  const photo: Blob;
  const proxy: pages.Proxy;
  const purchase: client.PurchaseWithSPTResponse;
  const report: contract.Report;
  const result: client.TryOnResult;
  const shirt: Blob;
  const file: File;
  const shirts: readonly Blob[];
  const shirtUrl: string;

  const body: string;
  const headers: Headers;
  const secrets: string;
  const url: string;
  const user: User;
  const onCompleted: (
    event: webhooks.TryOnCompletedEvent,
    context: webhooks.HandlerContext,
  ) => void;
  const POST: (request: Request) => Promise<Response>;
  const save: (jobId: string, address: string | null | undefined) => Promise<void>;
  const saveFailure: (jobId: string, reason: string | null | undefined) => Promise<void>;
  const store: webhooks.ReceiverStore;
  const redis: {
    readonly eval: (script: string, options: object) => Promise<unknown>;
  };

  const app: Express;
  const express: typeof expressOfApps;
  const authorize: (request: Request) => Promise<User | undefined>;
  const database: {
    readonly save: (job: string) => Promise<void>;
    readonly read: (order: string) => Promise<client.SavedJob>;
  };
  const findUser: (cookie: string | null) => Promise<User | undefined>;
  const queue: {
    readonly add: (jobId: string) => Promise<void>;
    readonly push: (event: object) => void;
  };
  const readSession: (cookie: string | null) => Promise<{ readonly userId: string } | undefined>;
  const topUp: () => Promise<void>;
  const findProduct: (path: string) => Promise<{ readonly imageUrl: string } | undefined>;
  const image: HTMLImageElement;
  const button: HTMLButtonElement;
}
