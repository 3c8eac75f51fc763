import { afterAll, beforeAll, expect, it } from "vitest";
import { runSeed, seeded } from "../support/seeded.ts";
import { calmDown } from "../support/torture/calm.ts";
import { COMMANDS, type Act } from "../support/torture/commands.ts";
import { EDITS } from "../support/torture/edits.ts";
import { judgeEnd, lookRound } from "../support/torture/invariants.ts";
import {
  drawSchedule,
  projectLines,
  SHORT,
  STEP_KINDS,
  stepLine,
  WHOLE,
  type StepKind,
} from "../support/torture/plan.ts";
import { describeWorld } from "../support/torture/report.ts";
import { TROUBLE } from "../support/torture/trouble.ts";
import { makeProgram, newWorld, type World } from "../support/torture/world.ts";
import { setTimeout as wait } from "node:timers/promises";

const ACTS: Record<StepKind, Act> = { ...COMMANDS, ...TROUBLE, ...EDITS };

/** `npm run torture` draws schedules for this long; `npm test` runs one, always the same. */
const minutes = Number(process.env["SAGA_TORTURE_MINUTES"] ?? 0);
const given = process.env["SAGA_SEED"];
const isShort = minutes === 0;
/** Passes within a minute. */
const SHORT_SEED = 1;
const MOST_PER_MINUTE = 6;
/** The longest that a step waits for something to happen. */
const MAX_WAIT_MS = 3_000;

const first = isShort && given === undefined ? SHORT_SEED : runSeed();
const isOne = given !== undefined || isShort;
const count = isOne ? 1 : Math.ceil(minutes * MOST_PER_MINUTE);
const deadline = performance.now() + minutes * 60_000;

const ran = { schedules: 0, steps: 0 };
const hits = new Map<StepKind, { drawn: number; hit: number }>();
let program: ReturnType<typeof makeProgram>;

beforeAll(() => {
  program = makeProgram();
});

afterAll(() => {
  program.remove();
  const rows = STEP_KINDS.flatMap((kind) => {
    const { drawn, hit } = hits.get(kind) ?? { drawn: 0, hit: 0 };
    return drawn === 0
      ? []
      : [`  ${kind.padEnd(26)}${String(drawn).padStart(5)}${String(hit).padStart(6)}`];
  });
  const head = `  ${"step".padEnd(26)}drawn   hit`;
  process.stdout.write(
    `\n${ran.schedules} schedules with ${ran.steps} steps ran.\n${[head, ...rows].join("\n")}\n`,
  );
});

it.for(Array.from({ length: count }, (_, at) => first + at))(
  "whatever happens to a project, all of its work is merged once and nothing is left over: seed %i",
  { timeout: 600_000 },
  async (seed, { skip }) => {
    skip(!isOne && performance.now() > deadline, "The time is up.");
    const chance = seeded(seed);
    const schedule = drawSchedule(chance, isShort ? SHORT : WHOLE);
    const again = isShort ? "test -- test/torture/schedules" : "run torture -- schedules";
    const report = [`SAGA_SEED=${seed} npm ${again}`, ...projectLines(schedule.project)];
    const world = await newWorld(schedule.project, seed, program.path);
    ran.schedules++;
    const stopIfWrong = (): void => {
      if (world.violations.length === 0) return;
      // At once: the next schedule may take a minute.
      const parts = [report, world.violations, describeWorld(world)];
      process.stdout.write(`${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`);
      expect.fail(`SAGA_SEED=${seed}: ${world.violations.join("\n")}`);
    };
    for (const [at, step] of schedule.steps.entries()) {
      await world.untilHappened(step.after, MAX_WAIT_MS);
      await wait(step.thenMs);
      const done = await ACTS[step.kind](world, step);
      report.push(`${at + 1}. ${stepLine(step)}\n     ${done ?? "there was none"}`);
      ran.steps++;
      const { drawn, hit } = hits.get(step.kind) ?? { drawn: 0, hit: 0 };
      hits.set(step.kind, { drawn: drawn + 1, hit: hit + Number(done !== undefined) });
      healInTime(world);
      await lookRound(world);
      stopIfWrong();
    }
    report.push("It calms down.");
    await calmDown(world, (line) => void report.push(line));
    stopIfWrong();
    await judgeEnd(world);
    stopIfWrong();
    process.stdout.write(`Seed ${seed} came to its end after ${schedule.steps.length} steps.\n`);
  },
);

function healInTime({ trouble }: World): void {
  if (trouble.heal !== undefined && trouble.healAfter-- <= 0) trouble.heal();
}
