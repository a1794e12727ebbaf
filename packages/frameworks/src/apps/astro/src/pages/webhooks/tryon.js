import { createReceiver } from "@tryon/webhooks";
import { onCompleted, secrets } from "../../../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
export const prerender = false; // without it, a page responds to a POST
export const POST = ({ request }) => receiver(request);
