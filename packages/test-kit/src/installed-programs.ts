import { access, constants, glob } from "node:fs/promises";

/** The headless shell, which takes a third of the time of Chromium, has the same engine. Nightly runs take Chromium. */
const headlessShell =
  process.env["TRYON_TESTS"] === "nightly" ? [] : ["/usr/bin/chromium-headless-shell"];

/** Paths of the programs that tests use, as Debian installs them. */
const places = {
  chromium: [process.env["TRYON_CHROMIUM"] ?? [...headlessShell, "/usr/bin/chromium"]].flat(),
  firefox: ["/usr/bin/firefox-esr"],
  webkit: ["/usr/bin/WebKitWebDriver"],
  minibrowser: ["/usr/lib/*/webkit2gtk-4.*/MiniBrowser"],
  xvfb: ["/usr/bin/Xvfb"],
  redis: ["/usr/bin/redis-server", "/usr/local/bin/redis-server"],
  postgres: ["/usr/lib/postgresql/*/bin/postgres"],
  curl: ["/usr/bin/curl", "/usr/local/bin/curl"],
  python3: ["/usr/bin/python3", "/usr/local/bin/python3"],
  nginx: ["/usr/sbin/nginx"],
  haproxy: ["/usr/sbin/haproxy"],
  apache: ["/usr/sbin/apache2"],
  caddy: ["/usr/bin/caddy"],
  varnish: ["/usr/sbin/varnishd"],
  squid: ["/usr/sbin/squid"],
  mitmproxy: ["/usr/bin/mitmdump"],
  avifenc: ["/usr/bin/avifenc"],
  cjpeg: ["/usr/bin/cjpeg"],
  cjxl: ["/usr/bin/cjxl"],
  convert: ["/usr/bin/convert"],
  cwebp: ["/usr/bin/cwebp"],
  exiftool: ["/usr/bin/exiftool"],
  "heif-enc": ["/usr/bin/heif-enc"],
} as const;

export type ProgramName = keyof typeof places;

/**
 * Checks whether a program is installed. If it is not, a line says that its tests are skipped.
 *
 * @throws Error in CI, where no test may be skipped.
 */
export async function isInstalled(name: ProgramName): Promise<boolean> {
  if ((await pathOf(name)) !== undefined) return true;
  if (process.env["CI"] !== undefined) throw new Error(`${advice(name)}.`);
  process.stderr.write(`${advice(name)}. Its tests are skipped.\n`);
  return false;
}

/** @throws Error if the program is not installed. */
export async function findProgram(name: ProgramName): Promise<string> {
  const path = await pathOf(name);
  if (path === undefined) throw new Error(`${advice(name)}.`);
  return path;
}

async function pathOf(name: ProgramName): Promise<string | undefined> {
  for await (const path of glob(places[name])) {
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return undefined;
}

function advice(name: ProgramName): string {
  const override = name === "chromium" ? " or set TRYON_CHROMIUM to its path" : "";
  return `Found no ${name} at ${places[name].join(" or ")}: install its Debian package${override}`;
}
