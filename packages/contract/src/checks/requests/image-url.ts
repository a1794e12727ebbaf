import { SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf } from "../../wire/response.ts";

/** An address at which nothing can be (RFC 2606): whoever looks there cannot fetch it. */
export const nowhere = "https://tryon-contract.invalid/image.png";

/** The most that finding an address may cost. */
export const imageUrlCredits = 24;

/**
 * An address that the deployment takes for that of an image. One that fetches nothing takes any; for one that does, the
 * result of a try-on is an image that it can reach.
 *
 * @throws Skip when there is none.
 */
export async function imageUrl(session: Session): Promise<string> {
  const any = "https://example.com/image.png";
  if (await isTaken(session, any)) return any;
  const { result_url: result } = fieldsOf((await session.whole()).json);
  if (typeof result === "string" && (await isTaken(session, result))) return result;
  throw new SkipCheck(
    "The deployment fetches images, and there is none that it can reach: not even its own results.",
  );
}

async function isTaken(session: Session, address: string): Promise<boolean> {
  const answer = await session.submit({ person_image_b64: undefined, person_url: address });
  return answer.status === 200;
}
