// What Saga verified, outside of any run: checks that passed, by tree and command, so that the same check does not run
// twice on the same code; and commits that it verified for their target. Like receipts in a run's record they count
// only with Saga's seal. One file each: writers never wait for each other.

import { createHash } from "node:crypto";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../machine/processes/environment.ts";
import {
  ifThere,
  listNames,
  makeFolder,
  readTextIfThere,
  writeDurably,
} from "../../machine/files/files.ts";
import { receiptSchema, type Receipt } from "../../story/receipts/receipt.ts";
import { parseJson } from "../../text/parse-json.ts";
import { layoutOf, receiptsFolder } from "../project/layout.ts";
import { findReceiptKey, makeReceiptKey } from "./receipt-key.ts";
import { isSealed, sealOf } from "./receipt-seal.ts";

interface ReceiptPlace {
  readonly project: string;
  readonly env: Environment;
}

interface PassedCheck {
  readonly tree: string;
  readonly command: string;
}

/** Undefined if the command has not passed on that tree. */
export function findTreeReceipt(
  { project, env }: ReceiptPlace,
  { tree, command }: PassedCheck,
): Receipt | undefined {
  const { key } = findReceiptKey(env);
  const text = readTextIfThere(fileOf(project, { tree, command }));
  if (key === undefined || text === undefined) return undefined;
  const stored = parseJson(text);
  const receipt = receiptSchema.safeParse(stored).data;
  const isRight = receipt?.tree === tree && receipt.command === command && receipt.isPassed;
  if (!isRight || typeof stored !== "object" || stored === null) return undefined;
  const place = { ...placeOf(tree), seal: Reflect.get(stored, "seal") as unknown };
  return isSealed(key, receipt, place) ? receipt : undefined;
}

/** Only a passed check is kept: one that failed may pass the next time. */
export function keepTreeReceipt({ project, env }: ReceiptPlace, receipt: Receipt): void {
  const { tree, command, isPassed } = receipt;
  const { key } = makeReceiptKey(env);
  if (!isPassed || command === undefined || key === undefined) return;
  openFolder(project);
  const sealed = { ...receipt, seal: sealOf(key, receipt, placeOf(tree)) };
  writeDurably(fileOf(project, { tree, command }), `${JSON.stringify(sealed)}\n`);
}

function openFolder(project: string): void {
  const folder = receiptsFolder(layoutOf(project));
  makeFolder(folder);
  // The project's own .gitignore may be older than this folder.
  if (!existsSync(join(folder, ".gitignore"))) writeDurably(join(folder, ".gitignore"), "*\n");
}

/** Not the id of a story or run, so the seal fits no other record. */
const placeOf = (tree: string) => ({ storyId: "/tree", runId: tree });

function fileOf(project: string, { tree, command }: PassedCheck): string {
  const name = createHash("sha256").update(command).digest("hex").slice(0, 16);
  return join(receiptsFolder(layoutOf(project)), `${tree}-${name}.json`);
}

const MAX_AGE_MS = 30 * 24 * 3600_000;

export function removeOldTreeReceipts(project: string, nowMs: number): void {
  const folder = receiptsFolder(layoutOf(project));
  const old = listNames(folder).filter((name) => {
    const stat = name.endsWith(".json") ? ifThere(() => statSync(join(folder, name))) : undefined;
    return stat !== undefined && nowMs - stat.mtimeMs > MAX_AGE_MS;
  });
  for (const name of old) rmSync(join(folder, name), { force: true });
}

/** Notes that Saga verified a commit for its target, before the target moves there. */
export function keepLanding({ project, env }: ReceiptPlace, commit: string): void {
  const { key } = makeReceiptKey(env);
  if (key === undefined) return;
  const seal = sealOf(key, { start: commit }, landingPlace(commit));
  openFolder(project);
  writeDurably(landingFile(project, commit), `${JSON.stringify({ commit, seal })}\n`);
}

/** Whether Saga itself verified the commit: an agent can write commits that look the same. */
export function isLanding({ project, env }: ReceiptPlace, commit: string): boolean {
  const { key } = findReceiptKey(env);
  const note = parseJson(readTextIfThere(landingFile(project, commit)) ?? "");
  if (key === undefined || typeof note !== "object" || note === null) return false;
  const seal: unknown = Reflect.get(note, "seal");
  return isSealed(key, { start: commit }, { ...landingPlace(commit), seal });
}

const landingPlace = (commit: string) => ({ storyId: "/landing", runId: commit });

const landingFile = (project: string, commit: string): string =>
  join(receiptsFolder(layoutOf(project)), `landing-${commit}.json`);
