import { createImageModel } from "@tryon/ai-sdk";
import { describeForShoppers } from "@tryon/client/session";
import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateImage,
  safeValidateUIMessages,
} from "ai";
import { cookies } from "next/headers";

import type { Look, LookMessage } from "../../look-message";

/** Seconds that the platform lets a request run. A try-on takes up to 90, and a busy service adds to them. */
export const maxDuration = 300;

// Replace these with the sessions of your app.
const sessions = new Map([["7f3a", { id: "ada" }]]);

/** Reads TRYON_API_KEY and TRYON_BASE_URL. */
const model = createImageModel();

/** Streams the state of a try-on as a message of the chat. */
export async function POST(request: Request): Promise<Response> {
  const user = sessions.get((await cookies()).get("session")?.value ?? "");
  if (!user) return new Response("Sign in first.", { status: 401 });
  const body = await request.json().catch(() => undefined);
  const valid = await safeValidateUIMessages<LookMessage>({ messages: body?.messages });
  const message = valid.success ? valid.data.findLast(({ role }) => role === "user") : undefined;
  if (!message) return new Response("Send messages, with one of the user.", { status: 400 });
  const images = message.parts.flatMap((part) => (part.type === "file" ? [part.url] : []));

  const stream = createUIMessageStream<LookMessage>({
    async execute({ writer }) {
      const start = Date.now();
      const show = (data: Look) => writer.write({ type: "data-look", id: "look", data });
      const wait = () =>
        show({ status: "running", seconds: Math.round((Date.now() - start) / 1_000) });
      wait();
      // A byte per second keeps load balancers from ending the response.
      const timer = setInterval(wait, 1_000);
      try {
        const { image } = await generateImage({
          model,
          prompt: { images },
          abortSignal: request.signal,
          // The page sends the same message again, so the same key, and gets the same image without another charge.
          providerOptions: { tryon: { idempotencyKey: `${user.id}-${message.id}` } },
        });
        // Store the image in your app, and send its URL.
        show({ status: "succeeded", url: `data:${image.mediaType};base64,${image.base64}` });
      } catch (error) {
        console.error(error);
        const { text, action } = describeForShoppers(error);
        show({ status: "failed", text, canRepeat: action === "resume" });
      } finally {
        clearInterval(timer);
      }
    },
  });
  return createUIMessageStreamResponse({ stream });
}
