/** Scheme, user, host, port, path, and the rest of a URL. */
const pattern =
  /^(https?:)\/\/([^/?#@\\\s]*@)?(\[[\da-f:.]+\]|[^/?#@:\\\s[\]<>^|%"`{}]+)(?::(\d{1,5}))?(\/[^?#\\\s]*)?([?#]\S*)?$/i;

/**
 * Absolute URL of http or https. The `URL` of React Native accepts any text, and its `origin` contains a user and a password.
 */
export class HttpUrl {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly origin: string;
  readonly pathname: string;

  constructor(text: unknown) {
    const found = pattern.exec(String(text).trim());
    if (!found) throw new TypeError("Invalid URL");
    const [, scheme = "", user = "", host = "", port = "", path = "/", rest = ""] = found;
    this.protocol = scheme.toLowerCase();
    const isDefault = Number(port) === (this.protocol === "https:" ? 443 : 80);
    const suffix = port === "" || isDefault ? "" : `:${Number(port)}`;
    this.hostname = host.toLowerCase();
    this.origin = `${this.protocol}//${this.hostname}${suffix}`;
    this.pathname = path;
    this.href = `${this.protocol}//${user}${this.hostname}${suffix}${path}${rest}`;
  }

  /** A relative URL has no base in an app. */
  static canParse(text: unknown): boolean {
    return pattern.test(String(text).trim());
  }

  toString(): string {
    return this.href;
  }
}
