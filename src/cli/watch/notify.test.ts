import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftInFlight, type InFlightStage } from "../../../test/support/in-flight.ts";
import { STORY } from "../../../test/support/repository.ts";

const LOG = "../notifications.txt";

/** A story whose worker was killed, in a project that logs its notifications. */
async function crashed(): Promise<InFlightStage> {
  const stage = await leftInFlight();
  const command = `echo "$SAGA_NOTICE_KIND $SAGA_NOTICE_STORY" >> ${LOG}`;
  stage.write(".saga/config.toml", `[notices]\ncommand = ${JSON.stringify(command)}\n`);
  return stage;
}

const notifications = (stage: InFlightStage): string =>
  existsSync(join(stage.path, LOG)) ? stage.read(LOG) : "";

describe("a run whose worker was killed", () => {
  it.each(["status", "list", "recover"])("is notified once, by saga %s", async (command) => {
    const stage = await crashed();
    for (const again of [command, "list", "status", "recover", command]) {
      expect(await stage.saga(again)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(notifications(stage)).toBe(`killed ${STORY}\n`);
    }
  });

  it("is notified again for another run", async () => {
    const stage = await crashed();
    await stage.saga("list");
    (await stage.store.startRun(STORY)).close();
    await stage.saga("list");
    await stage.saga("recover");
    expect(notifications(stage)).toBe(`killed ${STORY}\n`.repeat(2));
  });

  it.each(["limit", "stopped"] as const)(
    "is not notified when it ended by itself: %s",
    async (outcome) => {
      const stage = await crashed();
      const [run] = await stage.store.listRuns(STORY);
      const log = run && (await stage.store.openRun(run));
      log?.update({ endedAt: new Date().toISOString(), outcome });
      log?.close();
      for (const command of ["list", "status", "recover"]) await stage.saga(command);
      expect(notifications(stage)).toBe("");
    },
  );

  it("is notified too if it could still record that it was killed", async () => {
    const stage = await crashed();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "killed" });
    log?.close();
    for (const command of ["list", "status", "recover"]) await stage.saga(command);
    expect(notifications(stage)).toBe(`killed ${STORY}\n`);
  });

  it("is listed even if notifying fails", async () => {
    const stage = await crashed();
    stage.write(".saga/config.toml", '[notices]\ncommand = "exit 3"\n');
    const { exitCode, stdout, stderr } = await stage.saga("list");
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining("1 unfinished story without a worker"),
    ]);
    expect(stderr).toContain("failed with exit code 3");
    stage.write(".saga/config.toml", "nonsense");
    expect(await stage.saga("list")).toMatchObject({ exitCode: 0, stdout });
  });
});
