import { describe, expect, it } from "vitest";
import { frames, type Block } from "./stream.ts";

const text: Block = { type: "text", text: "Hello." };
const tool: Block = { type: "tool_use", name: "Bash", input: { command: "ls", deep: [1, "ü"] } };

interface Whole {
  readonly content: readonly { readonly type: string; readonly id?: string }[];
  readonly stop_reason: string;
  readonly [field: string]: unknown;
}
const whole = (blocks: readonly Block[]): Whole => frames("opus", blocks).message as Whole;

describe("a reply", () => {
  it("is a message of the model, with its content and cost", () => {
    expect(whole([text])).toMatchObject({
      type: "message",
      role: "assistant",
      model: "opus",
      content: [text],
      stop_reason: "end_turn",
      usage: { input_tokens: 100, output_tokens: 10 },
    });
  });

  it("that calls a tool stops for the tool", () => {
    expect(whole([text, tool])).toMatchObject({ content: [text, tool], stop_reason: "tool_use" });
  });

  it("has unique ids", () => {
    const ids = Array.from({ length: 500 }, () => whole([tool, tool])).flatMap(
      ({ id, content }) => [id, ...content.map((block) => block.id)],
    );
    expect(new Set(ids).size).toBe(1500);
  });

  it("is streamed in the order that Claude Code expects", () => {
    const { events } = frames("opus", [text, tool]);
    expect(events.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events.flatMap(({ index }) => (index === undefined ? [] : [index]))).toEqual([
      0, 0, 0, 1, 1, 1,
    ]);
  });

  it("has the same content streamed and as a message", () => {
    const { message, events } = frames("opus", [text, tool]);
    const { content } = message as Whole;
    expect(events[0]).toMatchObject({ message: { id: (message as Whole)["id"], content: [] } });
    expect(events[2]).toMatchObject({ delta: { type: "text_delta", text: "Hello." } });
    expect(events[4]).toMatchObject({
      content_block: { type: "tool_use", id: content[1]?.id, name: "Bash", input: {} },
    });
    const { delta } = events[5] as unknown as { delta: { partial_json: string } };
    expect(JSON.parse(delta.partial_json)).toEqual(tool.input);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });
});
