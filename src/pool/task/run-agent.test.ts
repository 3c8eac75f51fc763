import { expect, it } from "vitest";
import { lineAgent } from "../../../test/support/line-agent.ts";
import { LINE_POOL_CONFIG, newLinePool } from "../../../test/support/line-pool.ts";
import { newStage } from "../../../test/support/stage.ts";

const call = (tool: string, input: Readonly<Record<string, unknown>>) =>
  ({ do: "call", tool, input }) as const;

it("an agent may change the tasks that it has added to the list, and no others", async () => {
  const stage = await newStage({ config: LINE_POOL_CONFIG });
  const agent = lineAgent(
    {},
    {
      finish: [
        [
          call("TaskUpdate", { taskId: "2", description: "Mine now." }),
          call("TaskCreate", { subject: "More" }),
          call("TaskUpdate", { taskId: "3", description: "What was found." }),
          { do: "write", path: "chore.txt", text: "done\n" },
          call("mcp__saga__finish", { outcome: "done", summary: "It is done." }),
        ],
      ],
    },
  );
  const pool = await newLinePool(stage, agent);
  pool.addTask("1");
  pool.addTask("2", { description: "Of another." });
  expect(await pool.take("1")).toMatchObject({ kind: "completed" });
  expect(pool.task("2").description).toBe("Of another.");
  expect(pool.task("3")).toMatchObject({ subject: "More", description: "What was found." });
});
