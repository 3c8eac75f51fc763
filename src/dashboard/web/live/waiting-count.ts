import { attentionOfPoolTask } from "../../../story/state/task-attention.ts";
import type { Entities } from "../../protocol/messages.ts";
import { needsYou } from "../words/states.ts";
import { useDerived } from "./hooks.ts";

export const useWaitingCount = (): number => useDerived(waitingCount);

/** Stories, epics and loose tasks that wait for a person. */
export function waitingCount({
  stories,
  epics,
  pool,
}: Pick<Entities, "stories" | "epics" | "pool">): number {
  const tasks = Object.values(pool).flatMap((list) => list.tasks);
  return (
    Object.values(stories).filter(needsYou).length +
    Object.values(epics).filter(({ awaitsMerge }) => awaitsMerge).length +
    tasks.filter((task) => attentionOfPoolTask(task) !== undefined).length
  );
}
