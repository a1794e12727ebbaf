import { createReceiver } from "@tryon/webhooks";
import { onCompleted, secrets } from "../../../../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
export const POST = ({ request }) => receiver(request);
