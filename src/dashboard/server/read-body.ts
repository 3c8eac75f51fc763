// The body of a request, up to a limit. A body that is larger is read to its end and dropped: a client that is
// still sending would see a broken connection instead of the answer.

/** Nothing when it is larger than the limit. */
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
