import { TryOnStorage } from "./saved-try-on.ts";
import { resetTabs } from "./tabs.ts";

/**
 * Deletes the try-ons of all sessions of this origin from this browser, with their images: of all names and users. Sessions
 * that are open show `idle`, also in other tabs. Call it at sign-out, and for "delete my photos" if sessions have several
 * names. It never rejects, and does nothing on a server. The service keeps its images; jobs that run are not canceled.
 *
 * @example
 * import { resetAll } from "@tryon/client/session";
 *
 * button.onclick = async () => {
 *   await resetAll();
 *   location.href = "/sign-out";
 * };
 */
export async function resetAll(): Promise<void> {
  // First, so that no session saves anything after the deletion.
  resetTabs();
  await new TryOnStorage("").deleteWhere(() => true);
}
