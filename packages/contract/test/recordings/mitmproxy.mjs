// Records with mitmproxy in front of the server, and its script that writes HAR.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";

import { given, output, overHttp } from "./given.mjs";
import { scenario } from "./scenario.mjs";

const own = given();
const port = process.env.RECORDED_PORT;
const script = "/usr/share/doc/mitmproxy/examples/contrib/har_dump.py";
const file = join(output, "mitmproxy.har");
const args = ["--mode", `reverse:${own.baseUrl}`, "--listen-port", port, "-s", script];
const proxy = spawn("mitmdump", [...args, "--set", `hardump=${file}`], { stdio: "inherit" });
const baseUrl = `http://127.0.0.1:${port}`;
for (let isOpen = false; !isOpen;) {
  const socket = connect(port, "127.0.0.1");
  isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
}
await scenario({ ...own, baseUrl }, overHttp);
proxy.kill("SIGINT");
await once(proxy, "exit");
