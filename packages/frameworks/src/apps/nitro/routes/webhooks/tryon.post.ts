import { createReceiver } from "@tryon/webhooks";
import { defineHandler } from "nitro";
import { onCompleted, secrets } from "../../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
export default defineHandler(({ req }) => receiver(req));
