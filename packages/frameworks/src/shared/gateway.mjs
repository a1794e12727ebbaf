// Calls the function of `lambda.mjs` for each request, as API Gateway (payload 2.0) and a load balancer do.
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const { handler, balanced = false } = await import("./lambda.mjs");

createServer(async (request, response) => {
  const { pathname, search, searchParams } = new URL(request.url, "http://localhost");
  const bytes = await buffer(request);
  const body = bytes.length > 0 && { body: bytes.toString("base64"), isBase64Encoded: true };
  const { method, headers } = request;
  const event = balanced
    ? {
        httpMethod: method,
        path: pathname,
        queryStringParameters: Object.fromEntries(searchParams),
        headers,
        requestContext: { elb: { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:1:a" } },
        ...body,
      }
    : {
        version: "2.0",
        rawPath: pathname,
        rawQueryString: search.slice(1),
        headers,
        requestContext: {
          stage: "$default",
          http: { method, path: pathname, protocol: "HTTP/1.1", sourceIp: "127.0.0.1" },
        },
        ...body,
      };
  const result = await handler(event, { callbackWaitsForEmptyEventLoop: false });
  response.writeHead(result.statusCode, result.headers ?? {});
  response.end(Buffer.from(result.body ?? "", result.isBase64Encoded ? "base64" : "utf8"));
}).listen(process.env.PORT, "127.0.0.1");
