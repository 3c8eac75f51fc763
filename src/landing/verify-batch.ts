// Verifies the candidates of a batch: the union of their checks, once, on the last one. If that is red, it bisects.

import { findReused, judgeChecks, whyNotPassed, type GateWork } from "../gate/story-gate.ts";
import { codeTree } from "../repo/code-tree.ts";
import type { Candidates } from "../repo/delivery/land.ts";
import { flakyCandidates, nextStep } from "../story/landing/bisect.ts";
import type { CandidateCheck } from "../story/landing/history.ts";
import type { Receipt } from "../story/receipts/receipt.ts";
import type { LandingContext, LandingWork } from "./landing.ts";

export interface BatchVerdict {
  /** How many candidates are green, from the first. */
  readonly green: number;
  /** The one after them, and what its checks said. */
  readonly offender?: {
    readonly candidate: number;
    readonly receipts: readonly Receipt[];
    readonly reason: string;
  };
  /** The target itself fails these checks. */
  readonly redTarget?: readonly Receipt[];
  readonly checks: readonly CandidateCheck[];
  /** Commands that failed and passed on one candidate. */
  readonly flaky: readonly string[];
  /** The receipts of the last green candidate. */
  readonly receipts: readonly Receipt[];
}

export interface VerifyPlace {
  readonly context: LandingContext;
  /** Identifies the lane for ports and marks. */
  readonly laneId: string;
  readonly onCheck?: ((command: string, candidate: number) => void) | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
  /** A candidate has failed. */
  readonly onRed?: (() => void) | undefined;
}

export async function verifyBatch(
  place: VerifyPlace,
  { onto, list, checkOut }: Candidates<LandingWork>,
): Promise<BatchVerdict> {
  const results = new Map<number, boolean[]>();
  const receipts = new Map<number, readonly Receipt[]>();
  const checks: CandidateCheck[] = [];
  const failed = new Map<number, Set<string>>();
  const reasons = new Map<number, string>();
  for (;;) {
    const step = nextStep(list.length, results);
    if (step.kind === "check") {
      await check(step.candidate);
      continue;
    }
    const flaky = flakyCandidates(results).flatMap((one) => [...(failed.get(one) ?? [])]);
    const known = { checks, flaky: [...new Set(flaky)] };
    if (step.kind === "target-red" && (await passedBefore())) {
      return { ...known, green: 0, receipts: [], redTarget: receipts.get(0) ?? [] };
    }
    const { green, offender } = step.kind === "found" ? step : { green: 0, offender: 1 };
    return {
      ...known,
      green,
      receipts: receipts.get(green) ?? [],
      ...(offender !== undefined && {
        offender: {
          candidate: offender,
          receipts: receipts.get(offender) ?? [],
          reason: reasons.get(offender) ?? "Its checks failed.",
        },
      }),
    };
  }

  /**
   * Whether the checks that the target fails passed where the first entry began. If not, they are about its own work,
   * which the target cannot have.
   */
  async function passedBefore(): Promise<boolean> {
    const start = list[0]?.entry.start;
    if (start === undefined) return false;
    const commands = (receipts.get(0) ?? []).flatMap(({ isPassed, command }) =>
      isPassed || command === undefined ? [] : [command],
    );
    const work = gateWork(place, { commands, candidate: 0, isFirst: true, isThorough: false });
    const judged = await judgeChecks(work, { commit: start }, await checkOut(start));
    return whyNotPassed(judged) === undefined;
  }

  async function check(candidate: number): Promise<void> {
    const commit = candidate === 0 ? onto : (list[candidate - 1]?.commit ?? onto);
    const of = worksIn(list, candidate);
    const commands = unionOfChecks(of.map(({ entry }) => entry));
    const before = results.get(candidate) ?? [];
    const isThorough = of.some(({ entry }) => entry.landsAlone);
    const isFirst = before.length === 0;
    const work = gateWork(place, { commands, candidate, isFirst, isThorough });
    const tree = await codeTree(place.context.repository.git, commit);
    const reused = findReused(work, tree);
    const isAllKnown = commands.every((command) => reused.has(command));
    const judged = isAllKnown
      ? [...reused.values()]
      : await judgeChecks(work, { commit }, await checkOut(commit));
    for (const { command = "", isPassed, ms } of judged) {
      checks.push({ command, isPassed, ms, candidate, isReused: reused.has(command) });
      if (!isPassed) failed.set(candidate, (failed.get(candidate) ?? new Set()).add(command));
    }
    const why =
      candidate === 0
        ? whyNotPassed(judged)
        : (await Promise.all(of.map(({ entry }) => entry.whyNot(judged)))).find(Boolean);
    if (why !== undefined) {
      reasons.set(candidate, why);
      place.onRed?.();
    }
    const isGreen = why === undefined;
    results.set(candidate, [...before, isGreen]);
    receipts.set(candidate, judged);
  }
}

/** The works that a candidate has on top of the target. The target alone (0) must pass the checks of all. */
export const worksIn = <T>(works: readonly T[], candidate: number): readonly T[] =>
  candidate === 0 ? works : works.slice(0, candidate);

/** Each command once, in the order of the entries. */
export const unionOfChecks = (works: readonly Pick<LandingWork, "checks">[]): string[] => [
  ...new Set(works.flatMap(({ checks }) => checks)),
];

interface CandidateGate {
  readonly commands: readonly string[];
  readonly candidate: number;
  readonly isFirst: boolean;
  readonly isThorough: boolean;
}

export function gateWork(
  { context, laneId, onCheck, onOutput }: VerifyPlace,
  { commands, candidate, isFirst, isThorough }: CandidateGate,
): GateWork {
  const { repository, settings, env, now, stop, onStep } = context;
  return {
    repository,
    story: { id: laneId, checks: [...commands], writeFiles: undefined },
    tasks: [],
    settings,
    env,
    now,
    stop,
    isThorough,
    onOutput,
    onStep(about) {
      onCheck?.(about, candidate);
      onStep?.(about);
    },
    // A repeated check is to show whether it is flaky.
    mayReuse: isFirst && settings.gate.reuseReceipts,
  };
}
