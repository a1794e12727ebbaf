/** A page that people read, in the order in which they come to it. */
export interface Page {
  /** Beside this file. */
  readonly file: string;
  /** What it says, in one line; its title stands in the page itself. */
  readonly about: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Everything there is to read, for the site, the list for readers of the repository, and `llms.txt`. */
export const contents: readonly Chapter[] = [
  {
    title: "Begin",
    pages: [
      { file: "guides/quickstart.md", about: "From an empty folder to a picture and a webhook" },
      {
        file: "guides/which-way.md",
        about: "Wait, come back later, or be called: which, and when",
      },
      {
        file: "guides/from-other-services.md",
        about: "What changes for code written for FASHN, Replicate or fal",
      },
    ],
  },
  {
    title: "Make try-ons",
    pages: [
      {
        file: "guides/images.md",
        about: "What can be given as an image, how large, and what comes back",
      },
      { file: "guides/errors.md", about: "Every error code, and what to do about it" },
      {
        file: "guides/never-paying-twice.md",
        about: "What keeps a try-on from being charged a second time",
      },
      {
        file: "guides/many-jobs.md",
        about: "Ten thousand try-ons within a rate limit and a budget",
      },
      { file: "guides/browsers.md", about: "Pages without a key: the proxy, and who may use it" },
    ],
  },
  {
    title: "Receive",
    pages: [
      { file: "guides/webhooks.md", about: "A receiver for each framework, and what it promises" },
    ],
  },
  {
    title: "Test",
    pages: [
      { file: "guides/testing.md", about: "Your app in vitest, Playwright and CI, without a bill" },
      { file: "guides/contract-tests.md", about: "Does a deployment keep the contract?" },
      { file: "faults.md", about: "Every fault that the reference server can make" },
      { file: "control.md", about: "Steering the reference server over HTTP" },
    ],
  },
  {
    title: "Rely on it",
    pages: [
      {
        file: "guides/service.md",
        about: "The service in facts: credits, retention, data, policy, limits",
      },
      {
        file: "guides/security.md",
        about: "Keys, secrets, pages and receivers, and what the packages guard",
      },
      { file: "runtimes.md", about: "Where the packages run, as their tests found it" },
      { file: "support.md", about: "Which versions are supported, and for how long" },
      { file: "licenses.md", about: "What the packages need from others, and under which license" },
      { file: "fidelity.md", about: "Every rule of the service, and the test that shows it" },
      { file: "benchmarks.md", about: "Speed, memory and weight, compared with other packages" },
      { file: "decisions/README.md", about: "Why things are as they are" },
    ],
  },
];
