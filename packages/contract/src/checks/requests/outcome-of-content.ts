import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { fieldsOf } from "../../wire/response.ts";

const png = "89504e470d0a1a0a";

/** What comes of a try-on: one image, or none where its content is disallowed. */
export const outcomeOfContent: readonly Check[] = [
  {
    id: "content.one-image",
    title: "Makes one PNG of a try-on that succeeds",
    rules: ["service.try-on.one-image"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const job = await session.whole();
      const { status, result_url: address } = fieldsOf(job.json);
      must(status === "succeeded", `A good try-on ended as ${String(status)}.`, job);
      must(typeof address === "string", "A try-on that succeeded has no result_url.", job);
      const image = await session.call("GET", address, { key: null });
      must(image.status === 200, `The result was answered ${image.status}.`, image);
      const begins = Buffer.from(image.bytes.subarray(0, 8)).toString("hex");
      must(begins === png, `The result begins with ${begins}, and is no PNG.`, image);
    },
  },
  {
    id: "content.disallowed",
    title: "Makes no image of content that it finds disallowed",
    rules: ["content.disallowed.refused"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const key = await session.freshKey({ credits: 100 });
      await session.control.post("next-job", { outcome: "content_blocked", api_key: key.token });
      const job = await session.whole({}, { key });
      const { status, result_url: address } = fieldsOf(job.json);
      must(status === "failed", `Disallowed content ended as ${String(status)}.`, job);
      must(typeof address !== "string", "Disallowed content has a result_url.", job);
    },
  },
];
