import { createReceiver } from "@tryon/webhooks/lambda";
import { onCompleted, secrets } from "./shop.mjs";

export const handler = createReceiver({ secrets, onCompleted });
export const balanced = true;
