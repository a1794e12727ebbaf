import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Ways to get a namespace: as root, or as any user where the system allows it. */
const privileges = [[], ["--user", "--map-root-user"]];
const advice =
  "unshare cannot create namespaces. Run as root outside of containers, in a container with --privileged, or after sysctl kernel.apparmor_restrict_unprivileged_userns=0";

/**
 * Returns the beginning of a command that runs a program in new namespaces, as a container does. The program ends with
 * the command. Undefined on a system other than Linux, or without the permission. A line then says that tests are skipped.
 *
 * @param flags - Options of `unshare`. @default a PID namespace with its own `/proc`
 * @throws Error in CI on Linux, where no test may be skipped.
 */
export async function inNamespaces(
  flags: readonly string[] = ["--pid", "--mount-proc"],
): Promise<readonly [string, ...string[]] | undefined> {
  for (const privilege of privileges) {
    const args = [...privilege, ...flags, "--fork", "--kill-child"];
    const isAllowed = await run("unshare", [...args, "true"]).then(
      () => true,
      () => false,
    );
    if (isAllowed) return ["unshare", ...args];
  }
  if (process.platform === "linux" && process.env["CI"] !== undefined) throw new Error(advice);
  process.stderr.write(`${advice}. Its tests are skipped.\n`);
  return undefined;
}
