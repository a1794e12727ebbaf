#!/usr/bin/env bash
# The idempotency plugin of NestJS compares only text fields: another photo with the same key gets the first result.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix . @node-idempotency/nestjs@1.0.4 \
  @nestjs/common@10.4.22 @nestjs/core@10.4.22 @nestjs/platform-express@10.4.22 \
  reflect-metadata@0.2.2 rxjs@7.8.2
cat > check.cjs << 'END'
require("reflect-metadata");
const { Controller, Module, Post, UploadedFile, UseInterceptors } = require("@nestjs/common");
const { NestFactory } = require("@nestjs/core");
const { FileInterceptor } = require("@nestjs/platform-express");
const { Idempotent, NodeIdempotencyModule } = require("@node-idempotency/nestjs");

class Looks {
  calls = 0;
  create(photo) {
    this.calls += 1;
    return { photo: photo?.buffer.toString() ?? "none" };
  }
}
const method = Object.getOwnPropertyDescriptor(Looks.prototype, "create");
UploadedFile()(Looks.prototype, "create", 0);
UseInterceptors(FileInterceptor("photo"))(Looks.prototype, "create", method);
Idempotent()(Looks.prototype, "create", method);
Post("looks")(Looks.prototype, "create", method);
Controller()(Looks);

class App {}
const storage = { adapter: "memory" };
Module({ imports: [NodeIdempotencyModule.forRootAsync({ storage })], controllers: [Looks] })(App);

(async () => {
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, "127.0.0.1");
  const url = `${await app.getUrl()}/looks`;
  const send = async (photo, shirt) => {
    const body = new FormData();
    body.append("shirt", shirt);
    body.append("photo", new Blob([photo]), "me.jpg");
    const headers = { "idempotency-key": "order-7" };
    const response = await fetch(url, { method: "POST", headers, body });
    return `${response.status} ${await response.text()}`;
  };
  const seen = [await send("ada", "red"), await send("bob", "red"), await send("ada", "blue")];
  const { version } = require("@node-idempotency/nestjs/package.json");
  const names = ["the photo ada", "the photo bob", "another shirt"];
  console.log(`@node-idempotency/nestjs ${version}, POSTs of a form with the key order-7:`);
  names.forEach((name, index) => console.log(`  ${name}: ${seen[index]}`));
  await app.close();
  const [first, second, third] = seen;
  if (second !== first || !first.includes("ada") || !third.startsWith("422")) {
    console.log("The behavior has changed.");
    process.exitCode = 1;
  }
})();
END
node check.cjs
