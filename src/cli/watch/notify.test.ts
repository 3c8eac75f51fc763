import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftInFlight, type InFlightStage } from "../../../test/support/in-flight.ts";
import { STORY } from "../../../test/support/repository.ts";

const SAID = "../said.txt";

/** A story whose worker was killed, in a project that writes down what people are told. */
async function crashed(): Promise<InFlightStage> {
  const stage = await leftInFlight();
  const command = `echo "$SAGA_NOTICE_KIND $SAGA_NOTICE_STORY" >> ${SAID}`;
  stage.write(".saga/config.toml", `[notices]\ncommand = ${JSON.stringify(command)}\n`);
  return stage;
}

const said = (stage: InFlightStage): string =>
  existsSync(join(stage.path, SAID)) ? stage.read(SAID) : "";

describe("a run whose worker was killed", () => {
  it.each(["status", "list", "recover"])("is told of by saga %s, once", async (command) => {
    const stage = await crashed();
    for (const again of [command, "list", "status", "recover", command]) {
      expect(await stage.saga(again)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(said(stage)).toBe(`killed ${STORY}\n`);
    }
  });

  it("is told of again when it is another run", async () => {
    const stage = await crashed();
    await stage.saga("list");
    (await stage.store.startRun(STORY)).close();
    await stage.saga("list");
    await stage.saga("recover");
    expect(said(stage)).toBe(`killed ${STORY}\n`.repeat(2));
  });

  it.each(["limit", "stopped"] as const)(
    "is not what ended by itself: %s was told, or is known",
    async (outcome) => {
      const stage = await crashed();
      const [run] = await stage.store.listRuns(STORY);
      const log = run && (await stage.store.openRun(run));
      log?.update({ endedAt: new Date().toISOString(), outcome });
      log?.close();
      for (const command of ["list", "status", "recover"]) await stage.saga(command);
      expect(said(stage)).toBe("");
    },
  );

  it("is also one that ended in order, by nobody's wish", async () => {
    const stage = await crashed();
    const [run] = await stage.store.listRuns(STORY);
    const log = run && (await stage.store.openRun(run));
    log?.update({ endedAt: new Date().toISOString(), outcome: "killed" });
    log?.close();
    for (const command of ["list", "status", "recover"]) await stage.saga(command);
    expect(said(stage)).toBe(`killed ${STORY}\n`);
  });

  it("is listed all the same when nobody can be told", async () => {
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
