// A real server on this machine that receives notifications.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

export interface Webhook {
  /** Its path is a secret, as usual for webhooks. */
  readonly address: string;
  readonly received: readonly Received[];
}

export type AnswerToNotice = (
  response: ServerResponse,
  request: IncomingMessage,
  /** The number of requests, including this one. */
  count: number,
) => void;

export async function newWebhook(answer: AnswerToNotice): Promise<Webhook> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      received.push({ path: request.url, type: request.headers["content-type"], body });
      answer(response, request, received.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/services/T0/B0/secret`, received };
}
