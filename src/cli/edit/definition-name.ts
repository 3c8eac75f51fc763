// Finds the story, epic or task that a person names: `<story>`, `<epic>`, `<story>/<task>` or `<story> <task>`.

import { SagaError } from "../../errors.ts";
import type { DefinitionName } from "../../store/write/definition-file.ts";
import type { Store } from "../../store/store.ts";

/** If a story and an epic have the same id, the story wins, unless `isEpic`. */
export async function findDefinition(
  store: Store,
  [word = "", second]: readonly string[],
  isEpic: boolean,
): Promise<DefinitionName> {
  const parts = [...word.split("/"), ...(second === undefined ? [] : [second])];
  const [id = "", task] = parts;
  if (parts.length > 2 || parts.includes("") || (isEpic && task !== undefined)) {
    throw notAName(parts.join("/"));
  }
  if (task !== undefined) return { kind: "task", story: id, id: task };
  if (isEpic || (!(await isStory(store, id)) && (await exists(store, { kind: "epic", id })))) {
    return { kind: "epic", id };
  }
  if (await isStory(store, id)) return { kind: "story", id };
  throw nothingCalled(id);
}

export const notAName = (text: string): SagaError =>
  new SagaError(
    "not-found",
    `${JSON.stringify(text)} cannot be the name of a story, an epic or a task.`,
    { hint: "Write <story>, <epic> or <story>/<task>." },
  );

export const nothingCalled = (id: string): SagaError =>
  new SagaError("not-found", `There is no story and no epic called ${id}.`, {
    hint: "`saga list` shows all stories and epics.",
    missingId: id,
  });

const isStory = (store: Store, id: string): Promise<boolean> =>
  exists(store, { kind: "story", id });

/** True for an archived one too: the command reports that it is finished. */
async function exists(store: Store, name: DefinitionName): Promise<boolean> {
  try {
    await store.readDefinition(name);
    return true;
  } catch (error) {
    if (!(error instanceof SagaError)) throw error;
    return error.code !== "not-found";
  }
}
