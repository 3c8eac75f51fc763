// The result of the demo, from facts in git and in the engine: who did what, and whether anything was done twice. Pure.

import type { Paint } from "../../output/terminal.ts";
import { columns } from "../../output/terminal.ts";
import { codeTask, testTask } from "./plan.ts";

export interface DemoFacts {
  readonly stories: readonly string[];
  /** The commits of the default branch that complete a task: the task, and the machine that committed it. */
  readonly commits: readonly { readonly task: string; readonly machine: string }[];
  /** The owners of each story in their order, as the remote's history of its lease ref has them. */
  readonly owners: ReadonlyMap<string, readonly FencedOwner[]>;
  readonly killed: KilledMember;
  readonly seconds: number;
}

export interface FencedOwner {
  readonly fence: number;
  readonly machine: string;
}

export interface KilledMember {
  readonly machine: string;
  readonly story: string;
  readonly processes: number;
  /** The machine that continued the story. */
  readonly continuedBy: string;
  /** From the killed machine's last sign of life until its story was back in the queue. */
  readonly freedSeconds: number;
  /** The same, until the next machine had a free slot and took it. */
  readonly takenSeconds: number;
}

export interface FleetDemoResult {
  readonly stories: readonly DemoStoryResult[];
  readonly killed: KilledMember;
  /** Tasks without exactly one commit, and stories whose owners do not follow each other. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

interface DemoStoryResult {
  readonly id: string;
  readonly tasks: readonly { readonly id: string; readonly machines: readonly string[] }[];
  readonly owners: readonly FencedOwner[];
}

export function demoResult({
  stories,
  commits,
  owners,
  killed,
  seconds,
}: DemoFacts): FleetDemoResult {
  const results = stories.map((id) => ({
    id,
    tasks: [codeTask(id), testTask(id)].map((task) => ({
      id: task,
      machines: commits.filter((one) => one.task === task).map(({ machine }) => machine),
    })),
    owners: inTurn(owners.get(id) ?? []),
  }));
  const problems = results.flatMap(({ id, tasks }) => [
    ...tasks
      .filter(({ machines }) => machines.length !== 1)
      .map((task) => `${task.id} has ${task.machines.length} commits`),
    ...(isRising(owners.get(id) ?? []) ? [] : [`the owners of ${id} do not follow each other`]),
  ]);
  return { stories: results, killed, problems, seconds };
}

/** A machine owns its story again to clean up after the merge. */
const inTurn = (owners: readonly FencedOwner[]): FencedOwner[] =>
  owners.filter(({ machine }, at) => owners[at - 1]?.machine !== machine);

/** Each push of an owner moves the ref, so an owner may be there several times. */
const isRising = (owners: readonly FencedOwner[]): boolean =>
  owners.length > 0 &&
  owners.every(({ fence, machine }, at) => {
    const before = owners[at - 1];
    return (
      before === undefined ||
      fence > before.fence ||
      (fence === before.fence && machine === before.machine)
    );
  });

export function renderDemo(
  { stories, killed, problems, seconds }: FleetDemoResult,
  paint: Paint,
): string {
  const rows = stories.map(({ id, tasks, owners }) => [
    id,
    ...tasks.map(({ machines }) => machines.join(", ")),
    owners.map(({ machine, fence }) => `${machine} (${fence})`).join(" → "),
  ]);
  const [head = "", ...lines] = columns([
    ["STORY", "CODE BY", "TEST BY", "OWNERS (FENCE)"],
    ...rows,
  ]);
  return [
    "",
    paint("dim", head),
    ...lines,
    "",
    `${killed.machine} was killed with ${killed.processes} processes while it worked on ${killed.story}.`,
    `The story was back in the queue ${killed.freedSeconds.toFixed(1)} s after the last sign of life of ${killed.machine}. ${killed.continuedBy} took it ${killed.takenSeconds.toFixed(1)} s after that sign,`,
    "as soon as it was free, and continued from the commit that was pushed. No time was shortened for the demo.",
    "",
    ...(problems.length === 0
      ? [
          paint(
            "green",
            `${stories.length} stories merged in ${seconds.toFixed(0)} s; each task has one commit, and nothing was done twice.`,
          ),
        ]
      : problems.map((problem) => `${paint("red", "✗")} ${problem}`)),
    "",
  ].join("\n");
}
