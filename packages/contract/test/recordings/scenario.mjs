/**
 * Sends the requests of every recording: a charged try-on, its repetition under the same key, refusals, a job that is
 * polled, its image, and a try-on that the caller aborts. Runs in Node and in a page, so it uses nothing from outside.
 */
export async function scenario(
  { baseUrl, key, limitedKey, person, garment, malformed = "{" },
  send = fetch,
) {
  const request = async (method, path, fields, more = {}) => {
    const { own = key, idempotencyKey, ...rest } = more;
    const response = await send(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(own !== null && { authorization: `Bearer ${own}` }),
        ...(fields !== undefined && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(fields !== undefined && {
        body: typeof fields === "string" ? fields : JSON.stringify(fields),
      }),
      ...rest,
    });
    const text = await response.text();
    return text.startsWith("{") ? JSON.parse(text) : {};
  };
  const tryOn = "/api/v1/tryon";
  const submission = { person_image_b64: person, garment_images_b64: [garment] };
  await request("GET", "/api/discovery", undefined, { own: null });
  await request("GET", "/api/v1/account");
  const [order, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const paid = { ...submission, output_size: "2K", wait: true };
  await request("POST", tryOn, paid, { idempotencyKey: order });
  await request("POST", tryOn, paid, { idempotencyKey: order });
  await request("POST", tryOn, { ...submission, seed: -1 });
  if (malformed !== null) await request("POST", tryOn, malformed);
  await request("GET", `${tryOn}?limit=0`);
  await request("GET", `${tryOn}?cursor=nowhere`);
  for (let call = 0; call < 3; call += 1) {
    await request("GET", "/api/v1/account", undefined, { own: limitedKey });
  }
  const { job_id: id } = await request("POST", tryOn, { ...submission, wait: false });
  let job = {};
  while (job.status !== "succeeded") {
    job = await request("GET", `${tryOn}/${id}`);
    if (job.status === undefined) throw new Error("The server does not have the job.");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  // An image of another origin, as a page loads it.
  const image = await send(job.result_url, globalThis.document ? { mode: "no-cors" } : {});
  await image.arrayBuffer();
  const slow = { ...submission, prompt: "mock:slow=5000", wait: true };
  const given = { idempotencyKey: other, signal: AbortSignal.timeout(1_000) };
  await request("POST", tryOn, slow, given).catch(() => undefined);
  await request("GET", "/api/v1/account");
}
