import "react-native/Libraries/Core/setUpGlobals";
import "react-native/Libraries/Core/setUpXHR";
import "react-native-get-random-values";
import "./earlier.js";
import { TryOn } from "@tryon/client";
import { createTryOnSession, describeForShoppers, PageClient } from "@tryon/client/session";
import { createTryOn } from "./try-on";
import { createElement } from "react";
import { create } from "react-test-renderer";
import { useTryOn } from "@tryon/client/react";
import { AbortController as BasicController } from "abort-controller/dist/abort-controller";

const garments = ["https://shop.example/shirt.png"];
const prompt = "Größe ✓ 👕";

const open = (url) => new PageClient({ baseUrl: `${url}/api/tryon` });

/** Facts of a result that an app saves or shows. */
async function facts({ image }) {
  const bytes = await image.bytes();
  const blob = await image.blob();
  return {
    isPng: String.fromCharCode(...bytes.subarray(1, 4)) === "PNG" && bytes.length > 1_000,
    isSameBlob: blob.size === bytes.length && blob.type === "image/png",
    isUrl: (await image.url()).startsWith("http"),
  };
}

async function abort(url, Controller) {
  const controller = new Controller();
  const onUpdate = ({ phase }) => phase === "waiting" && controller.abort();
  const { signal } = controller;
  return facts(
    await open(url).run({ person: garments[0], garments }, { signal, sync: false, onUpdate }),
  );
}

globalThis.scenarios = {
  // An image picker returns this with `base64: true`.
  base64: async (url, base64) =>
    facts(await open(url).run({ person: { uri: "file:///gone.jpg", base64 }, garments })),
  file: async (url, uri) => facts(await open(url).run({ person: { uri }, garments, prompt })),
  blob: async (url, uri) => {
    const person = await (await fetch(uri)).blob();
    return facts(await open(url).run({ person, garments, prompt }));
  },
  guide: async (url, uri) => {
    const tryOn = createTryOn(`${url}/api/tryon`, "token-of-ada");
    const image = await tryOn({ uri, width: 1_200, height: 1_600 }, garments[0]);
    return { isPng: image.bytes[1] === 80, isUrl: image.url.startsWith("http") };
  },
  wait: async (url, uri) => {
    const client = open(url);
    const job = await client.submit({ person: { uri }, garments });
    const phases = [];
    const saved = JSON.parse(JSON.stringify(job));
    const result = await client.jobs
      .resume(saved)
      .result({ onUpdate: ({ phase }) => phases.push(phase) });
    return { ...(await facts(result)), phases: [...new Set(phases)] };
  },
  session: async (url, uri) => {
    const session = createTryOnSession(open(url));
    const states = [];
    session.subscribe(() => states.push(session.getSnapshot().status));
    await session.start({ person: { uri }, garments });
    const { image, isSaved } = session.getSnapshot();
    const [, ...name] = new Uint8Array(await image.slice(0, 4).arrayBuffer());
    return { states: [...new Set(states)], isPng: String.fromCharCode(...name) === "PNG", isSaved };
  },
  hook: async (url, uri) => {
    const client = open(url);
    const states = [];
    const starts = [];
    const Look = () => {
      const { status, start } = useTryOn(client);
      if (states.at(-1) !== status) states.push(status);
      starts.push(start);
      return null;
    };
    const root = create(createElement(Look));
    while (starts.length === 0) await new Promise((later) => setTimeout(later, 10));
    await starts[0]({ person: { uri }, garments });
    await new Promise((later) => setTimeout(later, 10));
    root.unmount();
    return states;
  },
  refused: (url) => open(url).run({ person: garments[0], garments, output_size: "9K" }),
  missing: (url) => open(url).run({ person: { uri: "file:///gone.jpg" }, garments }),
  abort: (url) => abort(url, AbortController),
  abortOfPackage: (url) => abort(url, BasicController),
  stream: async (url) => {
    const { image } = await open(url).run({ person: garments[0], garments });
    return image.stream();
  },
  liveKey: (_url, apiKey) => new TryOn({ apiKey, baseUrl: "https://api.example.com" }),
  userInUrl: () => open("https://ada:secret@shop.example").run({ person: garments[0], garments }),
  shopper: () => describeForShoppers({ code: "rate_limited", retryAfter: 170 }).text,
  withoutRandom: () => {
    const { crypto } = globalThis;
    globalThis.crypto = undefined;
    try {
      return open("https://shop.example");
    } finally {
      globalThis.crypto = crypto;
    }
  },
};
