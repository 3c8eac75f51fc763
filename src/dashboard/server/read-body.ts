/**
 * Reads the body of a request. Undefined if it is larger than the limit. A larger body is still read to its end: a
 * client that is sending would see a broken connection instead of the answer.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}
