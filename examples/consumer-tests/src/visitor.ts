import { TryOn } from "@tryon/client";

/** Creates the client of a page whose visitor has a cookie. */
export function visitor(appUrl: string, cookie: string): TryOn {
  return new TryOn({
    proxyUrl: `${appUrl}/api/tryon`,
    fetch: (address, init) => {
      const headers = new Headers(init?.headers);
      headers.set("cookie", cookie);
      return fetch(address, { ...init, headers });
    },
  });
}

/** A photo and a garment of a page. Only their first bytes are those of an image, which is all that is checked. */
export const wish = {
  person: new Blob([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0)]),
  garments: [
    new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), new Uint8Array(8)]),
  ],
} as const;
