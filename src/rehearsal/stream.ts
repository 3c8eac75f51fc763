// One reply of the model, as a message and as stream events.

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly name: string; readonly input: unknown };

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** Every turn costs the same unless the script sets it, so that the cost of a rehearsal is known beforehand. */
const USAGE: TokenUsage = {
  input_tokens: 100,
  output_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

let count = 0;
/** Claude Code identifies replies and tool calls by these: they must be unique in a conversation. */
const newId = (prefix: string): string =>
  `${prefix}_${Date.now().toString(36)}${(count++).toString(36).padStart(6, "0")}`;

export function frames(
  model: string,
  blocks: readonly Block[],
  more: Partial<TokenUsage> = {},
): { readonly message: object; readonly events: readonly StreamEvent[] } {
  const content = blocks.map((block) =>
    block.type === "tool_use" ? { ...block, id: newId("toolu") } : block,
  );
  const usage = { ...USAGE, ...more };
  const hasTool = blocks.some(({ type }) => type === "tool_use");
  const stopReason = hasTool ? "tool_use" : "end_turn";
  const message = {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage,
  };
  const start = { ...message, content: [], stop_reason: null };
  return {
    message,
    events: [
      { type: "message_start", message: start },
      ...content.flatMap(contentEvents),
      {
        type: "message_delta",
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage,
      },
      { type: "message_stop" },
    ],
  };
}

type Identified = Block | (Extract<Block, { type: "tool_use" }> & { readonly id: string });

function contentEvents(block: Identified, index: number): StreamEvent[] {
  const [empty, delta] =
    block.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  return [
    { type: "content_block_start", index, content_block: empty },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
