import { describe, expect, it, onTestFinished } from "vitest";
import { startModel, type Model, type Script, type Turn } from "./model-server.ts";
import { say } from "./scripted-agent.ts";

const question = (more: object = {}) => ({
  model: "opus",
  max_tokens: 100,
  tools: [{ name: "Bash", input_schema: {} }],
  messages: [{ role: "user", content: "Begin." }],
  ...more,
});

async function newModel(script: Script): Promise<Model> {
  const model = await startModel(script);
  onTestFinished(model.close);
  return model;
}

const ask = (url: string, body: unknown, path = "/v1/messages"): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("a scripted model", () => {
  it("is reachable on this machine only", async () => {
    const model = await newModel(() => say("Hello."));
    expect(model.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(model.url("add-login")).toBe(`${model.url()}/add-login`);
  });

  it("replies what the script says", async () => {
    const model = await newModel(() => say({ tool: "Bash", input: { command: "ls" } }));
    const response = await ask(model.url(), question());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      model: "opus",
      content: [{ type: "tool_use", name: "Bash", input: { command: "ls" } }],
    });
  });

  it("streams the reply on request", async () => {
    const model = await newModel(() => say("Hello."));
    const response = await ask(model.url(), question({ stream: true }), "/v1/messages?beta=true");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await response.text();
    expect(text).toMatch(/^event: message_start\ndata: \{.*\}\n\n/);
    expect(text).toContain('"text":"Hello."');
    expect(text).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/);
  });

  it("gives the script the conversation in a simple form", async () => {
    const turns: Turn[] = [];
    const model = await newModel((turn) => {
      turns.push(turn);
      return say("Hello.");
    });
    const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
    const results = [
      { type: "tool_result", tool_use_id: "t1", content: "a.txt" },
      {
        type: "tool_result",
        tool_use_id: "t2",
        is_error: true,
        content: [
          { type: "text", text: "one" },
          { type: "image", source: {} },
        ],
      },
      { type: "of a newer version", more: 1 },
    ];
    const messages = [
      { role: "user", content: "Begin." },
      { role: "system", content: [{ type: "text", text: "A note." }] },
      { role: "assistant", content: [{ type: "thinking", thinking: "Hm." }, call] },
      { role: "user", content: results },
    ];
    await ask(model.url("add-login"), question({ messages }));
    const nothing = { type: "text", text: "" };
    expect(turns).toEqual([
      {
        address: "add-login",
        model: "opus",
        tools: ["Bash"],
        messages: [
          { role: "user", content: [{ type: "text", text: "Begin." }] },
          { role: "user", content: [{ type: "text", text: "A note." }] },
          { role: "assistant", content: [nothing, call] },
          {
            role: "user",
            content: [
              { type: "tool_result", toolUseId: "t1", text: "a.txt", isError: false },
              { type: "tool_result", toolUseId: "t2", text: "one\n", isError: true },
              nothing,
            ],
          },
        ],
      },
    ]);
  });

  it("counts only turns of the work", async () => {
    const model = await newModel(() => say("Hello."));
    expect(await (await ask(model.url(), question({ tools: [] }))).json()).toMatchObject({
      content: [{ type: "text" }],
    });
    const counted = await ask(model.url(), question(), "/v1/messages/count_tokens");
    expect(await counted.json()).toEqual({ input_tokens: 10 });
    expect(model.turns()).toBe(0);
    await ask(model.url(), question());
    expect(model.turns()).toBe(1);
  });

  it.each([
    [401, "authentication_error"],
    [404, "not_found_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [529, "overloaded_error"],
  ])("fails like the API: %i", async (status, type) => {
    const headers = { "retry-after": "7" };
    const model = await newModel(() => ({ kind: "refuse", status, message: "No.", headers }));
    const response = await ask(model.url(), question());
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.json()).toEqual({ type: "error", error: { type, message: "No." } });
  });

  it("reports an error in its script", async () => {
    const model = await newModel(() => {
      throw new Error("Oh.");
    });
    const response = await ask(model.url(), question());
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("The script failed: Error: Oh.");
  });

  it.each([
    ["another path", "GET", "/v1/models"],
    ["another method", "GET", "/v1/messages"],
    ["another depth", "POST", "/a/b/v1/messages"],
  ])("has no other endpoint: %s", async (_, method, path) => {
    const model = await newModel(() => say("Hello."));
    expect((await fetch(`${model.url()}${path}`, { method })).status).toBe(404);
  });

  it.each(["", "{", "{}", '{"model":5}'])("refuses an invalid request: %j", async (body) => {
    const model = await newModel(() => say("Hello."));
    expect((await ask(model.url(), body)).status).toBe(500);
    expect((await ask(model.url(), question())).status).toBe(200);
  });

  it("that hangs can be closed", async () => {
    let received = (): void => undefined;
    const isReceived = new Promise<void>((resolve) => {
      received = resolve;
    });
    const model = await startModel(() => {
      received();
      return { kind: "hang" };
    });
    const asking = ask(model.url(), question()).then(
      () => "answered",
      () => "cut off",
    );
    await isReceived;
    await model.close();
    expect(await asking).toBe("cut off");
    await expect(ask(model.url(), question())).rejects.toThrow("fetch failed");
  });
});
