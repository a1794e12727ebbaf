import "react-native-get-random-values";
import { PageClient } from "@tryon/client/session";

/**
 * Returns a function that makes a try-on.
 *
 * @param baseUrl - URL of the proxy of your app.
 * @param token - Token of the user who is signed in, for `authorize` of the proxy.
 */
export function createTryOn(baseUrl, token) {
  const withToken = ({ headers, ...init }) => ({
    ...init,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const client = new PageClient({
    baseUrl,
    // The store of the images must not get the token.
    fetch: (url, init) => fetch(url, url.startsWith(`${baseUrl}/`) ? withToken(init) : init),
  });
  // An image picker returns the asset.
  return async (asset, shirtUrl, options) => {
    const input = { person: { uri: asset.uri }, garments: [shirtUrl] };
    const { image } = await client.run(input, options);
    return { url: await image.url(), bytes: await image.bytes() };
  };
}
