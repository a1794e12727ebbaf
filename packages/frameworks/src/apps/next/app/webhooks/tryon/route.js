import { createReceiver } from "@tryon/webhooks/next";
import { onCompleted, secrets } from "../../../shop.mjs";

export const POST = createReceiver({ secrets, onCompleted });
