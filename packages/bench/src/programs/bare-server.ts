// The least that node:http can do: the same JSON for every call.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = process.argv[2] ?? "{}";
const server = createServer((_request, response) => {
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
