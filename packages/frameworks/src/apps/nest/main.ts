import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "./shop.mjs";

@Module({})
class AppModule {}

const app = await NestFactory.create(AppModule);
// Before `listen`, so that both come before the body parsers of Nest. Use `app.get(Orders)` in `onCompleted`.
app.use("/webhooks/tryon", createReceiver({ secrets, onCompleted }));
app.use("/api/tryon", toNodeHandler(createProxy({ authorize })));
await app.listen(process.env.PORT ?? 3000);
