import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "./shop.mjs";

@Module({})
class AppModule {}

const app = await NestFactory.create(AppModule, new FastifyAdapter());
app.use("/webhooks/tryon", createReceiver({ secrets, onCompleted }));
app.use("/api/tryon", toNodeHandler(createProxy({ authorize })));
await app.listen(process.env.PORT ?? 3000);
