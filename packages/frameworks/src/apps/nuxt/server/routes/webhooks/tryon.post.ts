import { createReceiver } from "@tryon/webhooks";
import { onCompleted, secrets } from "../../../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
export default defineEventHandler((event) => receiver(toWebRequest(event)));
