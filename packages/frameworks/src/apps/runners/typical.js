const mock = setupMock({ beforeAll, beforeEach, afterEach, afterAll }, { clock: "manual" });
const input = {
  person: "https://shop.example/me.jpg",
  garments: ["https://shop.example/shirt.png"],
};
const now = (work) => mock.clock.runUntil(work);
const balance = async () => (await mock.ledger(mock.keys.live)).balance;

test("runs a try-on", async () => {
  const { image } = await now(new TryOn().run(input));
  assert.equal((await now(image.bytes()))[1], 0x50);
  assert.equal(await balance(), Number(process.env.BALANCE ?? 992));
});

test("submits, and gets the result later", async () => {
  const tryon = new TryOn();
  const job = await now(tryon.submit(input));
  assert.equal((await now(tryon.jobs.resume(job.toJSON()).result())).job.status, "succeeded");
});

test("receives the webhook", async () => {
  const events = [];
  const onCompleted = (event) => void events.push(event.job_id);
  const server = createServer(createReceiver({ secrets: mock.webhookSecret, onCompleted }));
  await new Promise((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const webhook_url = `http://127.0.0.1:${server.address().port}/hook`;
  const { job } = await now(new TryOn().run({ ...input, webhook_url }));
  while ((await mock.webhooks.deliveries(job.id))[0]?.attempts[0] === undefined)
    await new Promise((resolve) => void setImmediate(resolve));
  server.close();
  assert.deepEqual(events, [job.id]);
});

test("waits for a rate limit", async () => {
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 20 });
  await now(new TryOn().run(input));
  assert.equal(await balance(), 992);
});

test("reports a failed job", async () => {
  mock.nextJob({ outcome: "content_blocked" });
  const error = await now(new TryOn().run(input)).catch((reason) => reason);
  assert.ok(isTryOnError(error, "job_failed") && error.isContentBlocked);
});

test("tells two jobs apart", async () => {
  const tryon = new TryOn();
  const [one, other] = await now(Promise.all([tryon.submit(input), tryon.submit(input)]));
  assert.notDeepEqual(one, other);
});
