/** Rules of this part that nobody can see from outside, each with the reason. */
export const requestsNotObservable: Readonly<Record<string, string>> = {
  "service.legacy-address.same-endpoints":
    "A run is given one base address and cannot know the older one. A run of its own with the older address as --base-url shows that the same checks hold there.",
};
